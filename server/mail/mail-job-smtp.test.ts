import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import PostalMime from 'postal-mime'
import { type MailSetup, openMailSetup } from '../../test/mail/mail-setup.ts'
import { openScriptedRelay, type RelayTurn, relayStages, type ScriptedRelay } from '../../test/mail/scripted-relay.ts'
import type { Mail } from './outbox.ts'
import { smtpTransport } from './smtp.ts'

const impatient = { connect: 3, greeting: 3, silence: 3, mail: 15 }

const through = (relay: ScriptedRelay, timeouts?: typeof impatient) =>
  smtpTransport(`smtp://mailer:s3cret-pass@127.0.0.1:${relay.port}`, timeouts)

const find = (setup: MailSetup, ids: readonly number[]) => Promise.all(ids.map((id) => setup.find(id)))

async function arrivedIds(relay: ScriptedRelay): Promise<string[]> {
  const arrived = await Promise.all(relay.arrived.map(({ raw }) => PostalMime.parse(raw)))
  return arrived.map(({ messageId = '' }) => messageId).toSorted()
}

const messageIdsOf = (mails: readonly Mail[]) => mails.map(({ messageId }) => `<${messageId}@chat.test>`).toSorted()

const faults: RelayTurn[] = ['drop', 'hang', { code: 421, text: 'Not now' }, { code: 550, text: 'Never' }]

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate()
}

for (const stage of relayStages) {
  test(`with any error at ${stage}, each email arrives once or fails with a reason`, async () => {
    await using setup = await openMailSetup()
    await using relay = await openScriptedRelay()
    relay.behave({ [stage]: (nth: number) => faults[nth - 1] ?? 'accept' })
    const worker = setup.openWorker(through(relay, impatient))
    const ids = [await setup.queue(), await setup.queue(), await setup.queue(), await setup.queue()]

    await worker.settled()
    await setup.clock.advance(86_400)

    const mails = await find(setup, ids)
    const failed = mails.filter(({ state }) => state === 'failed')
    const sent = mails.filter(({ state }) => state === 'sent')
    const isFinal = stage === 'rcptTo' || stage === 'data' || stage === 'dot'
    assert.deepEqual([failed.length, sent.length], isFinal ? [1, 3] : [0, 4])
    for (const { reply } of failed) assert.match(reply ?? '', /^550 .*Never/)
    assert.deepEqual(await arrivedIds(relay), messageIdsOf(sent))
    assert.equal(setup.logged.join('').includes('s3cret'), false)
  })
}

test('emails on which the relay hangs do not hold up others', async () => {
  await using setup = await openMailSetup()
  await using relay = await openScriptedRelay()
  relay.behave({ rcptTo: (nth) => (nth <= 4 ? 'hang' : 'accept') })
  setup.openWorker(smtpTransport(relay.url))
  for (let count = 0; count < 4; count += 1) await setup.queue({ recipient: `new${count}@hung.example` })
  await until(() => relay.reached.filter((stage) => stage === 'rcptTo').length === 4)
  await setup.queue({ recipient: 'reset@example.com' })

  await setup.clock.advance(5)

  await until(() => relay.arrived.length > 0)
  assert.deepEqual(relay.arrived[0]?.to, ['reset@example.com'])
})

test('a relay that accepts an email and disconnects before its reply gets it again, with the same Message-ID', async () => {
  await using setup = await openMailSetup()
  await using relay = await openScriptedRelay()
  relay.behave({ dot: (nth) => (nth === 1 ? 'keep and drop' : 'accept') })
  const worker = setup.openWorker(through(relay))
  const id = await setup.queue()

  await worker.settled()
  await setup.clock.advance(86_400)

  const [mail] = await find(setup, [id])
  assert.deepEqual([mail?.state, mail?.attempts], ['sent', 2])
  assert.deepEqual(await arrivedIds(relay), [...messageIdsOf([mail as Mail]), ...messageIdsOf([mail as Mail])])
})

test('every email fails with a reason when the relay is down for three days', async () => {
  await using setup = await openMailSetup()
  const relay = await openScriptedRelay()
  const transport = through(relay)
  await relay[Symbol.asyncDispose]()
  const worker = setup.openWorker(transport)
  const ids = [await setup.queue(), await setup.queue()]

  await worker.settled()
  await setup.clock.advance(3 * 86_400)

  for (const { state, attempts, reply } of await find(setup, ids)) {
    assert.deepEqual([state, attempts], ['failed', 22])
    assert.match(reply ?? '', /ECONNREFUSED/)
  }
})
