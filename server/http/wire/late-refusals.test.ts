import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GET, responsesIn, serve } from '../../../test/http/raw-client.ts'
import { LateRefusals } from './late-refusals.ts'

/** Refusals with a clock of their own. `refuse` returns whether the next refusal of an address is sent at once. */
function openRefusals() {
  let time = 0
  const due: { at: number; run: () => void }[] = []
  const refusals = new LateRefusals({
    now: () => time,
    after: (milliseconds, run) => void due.push({ at: time + milliseconds, run }),
  })
  return {
    refuse: (address: string, status = 429) => refusals.hold({ status }, () => address) === null,
    hold: (address: string) => refusals.hold({ status: 429 }, () => address),
    wait(milliseconds: number) {
      time += milliseconds
      for (const { run } of due.splice(0, due.length).filter((one) => one.at <= time || !due.push(one))) run()
    },
  }
}

const countOf = (answers: readonly boolean[]) => answers.filter(Boolean).length
const times = <Result>(count: number, run: () => Result) => Array.from({ length: count }, run)

test('a network gets twenty refusals at once in a second, and the others a second later', async () => {
  const { refuse, hold, wait } = openRefusals()

  const first = countOf(times(30, () => refuse('192.0.2.1')))
  const [sameNetwork, other] = [refuse('192.0.2.1'), refuse('192.0.2.2')]
  let isSent = false
  const held = hold('192.0.2.1')?.then(() => {
    isSent = true
  })
  wait(999)
  await Promise.resolve()
  const isEarly = isSent
  wait(1)
  await held

  assert.deepEqual([first, sameNetwork, other, isEarly, isSent], [20, false, true, false, true])
  assert.equal(refuse('192.0.2.1'), true)
})

test('other responses are not held back, however many there are', () => {
  const { refuse } = openRefusals()

  assert.equal(countOf(times(100, () => refuse('192.0.2.1', 401))), 100)
  assert.equal(refuse('192.0.2.1'), true)
})

test('when two thousand refusals are held back, the others are sent at once', () => {
  const { refuse, wait } = openRefusals()

  const sent = countOf(times(2100, () => refuse('192.0.2.1')))
  wait(1000)

  assert.equal(sent, 100)
  assert.equal(countOf(times(30, () => refuse('192.0.2.1'))), 20)
})

for (const fastPath of [true, false])
  test(`a client that never waits gets its next refusal a second later, fast path ${fastPath}`, async () => {
    let number = 0
    const dispatch = async () => {
      number += 1
      return { status: 429, headers: {}, body: `refused ${number}.\n` }
    }
    await using server = await serve({ dispatch, fastPath, answersInMemory: () => true })
    const client = server.connect()
    for (let sent = 1; sent <= 20; sent += 1) {
      client.send(GET)
      await client.until(`refused ${sent}.`)
    }

    const sentAt = performance.now()
    client.send(GET)
    const received = await client.until('refused 21.')

    assert.ok(performance.now() - sentAt >= 990)
    assert.equal(responsesIn(received).length, 21)
    client.socket.destroy()
  })
