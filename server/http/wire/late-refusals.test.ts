import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GET, serve } from '../../../test/http/raw-client.ts'
import { LateRefusals } from './server-context.ts'

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

test('a network gets twenty refusals at once, and further ones one by one, twenty in a second', async () => {
  const { refuse, hold, wait } = openRefusals()

  const first = countOf(times(20, () => refuse('192.0.2.1')))
  const sent: number[] = []
  for (const number of [21, 22, 23]) void hold('192.0.2.1')?.then(() => sent.push(number))
  const other = refuse('192.0.2.2')
  const seen: number[] = []
  for (let step = 0; step < 3; step += 1) {
    wait(50)
    await Promise.resolve()
    seen.push(sent.length)
  }

  assert.deepEqual([first, other, seen, sent], [20, true, [1, 2, 3], [21, 22, 23]])
  wait(1000)
  assert.equal(countOf(times(30, () => refuse('192.0.2.1'))), 20)
})

test('a refusal is held back for five seconds at most', async () => {
  const { refuse, hold, wait } = openRefusals()

  times(200, () => refuse('192.0.2.1'))
  let isSent = false
  const held = hold('192.0.2.1')?.then(() => {
    isSent = true
  })
  wait(4999)
  await Promise.resolve()
  assert.equal(isSent, false)
  wait(1)
  await held
})

test('other responses are not held back, however many there are', () => {
  const { refuse } = openRefusals()

  assert.equal(countOf(times(100, () => refuse('192.0.2.1', 401))), 100)
  assert.equal(refuse('192.0.2.1'), true)
})

test('when two hundred refusals are held back, the others are sent at once', () => {
  const { refuse, wait } = openRefusals()

  const sent = countOf(times(300, () => refuse('192.0.2.1')))
  wait(6000)

  assert.equal(sent, 100)
  assert.equal(countOf(times(30, () => refuse('192.0.2.1'))), 20)
})

for (const fastPath of [true, false])
  test(`a client that never pauses waits for its next refusal, fast path ${fastPath}`, async () => {
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

    // The first twenty take no time of their own, so that the next twenty have to wait for their turns.
    const sentAt = performance.now()
    for (let sent = 21; sent <= 60; sent += 1) {
      client.send(GET)
      await client.until(`refused ${sent}.`)
    }

    assert.ok(performance.now() - sentAt >= 500)
    client.socket.destroy()
  })
