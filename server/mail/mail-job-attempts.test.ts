import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMailSetup } from '../../test/mail/mail-setup.ts'
import { type DeliveryResult, type MailTransport, storeOnlyTransport } from './delivery.ts'
import { retryMail } from './outbox.ts'

const answering = (outcome: DeliveryResult['outcome'], reply = ''): MailTransport => ({
  send: async () => ({ outcome, reply }),
  close: () => {},
})

test('a deferred email is tried again with the same Message-ID until its attempts are used up, and then fails', async () => {
  await using setup = await openMailSetup()
  const ids: string[] = []
  const transport: MailTransport = {
    async send(message) {
      ids.push(message.messageId)
      return { outcome: 'deferred', reply: '451 Later' }
    },
    close: () => {},
  }
  const worker = setup.openWorker(transport)
  const id = await setup.queue()
  await worker.settled()
  const deferred = await setup.find(id)

  await setup.clock.advance(4 * 86_400)

  const failed = await setup.find(id)
  assert.deepEqual(
    [deferred.state, deferred.dueAt, deferred.attempts, deferred.reply],
    ['queued', 1_000_060, 1, '451 Later'],
  )
  assert.deepEqual([failed.state, failed.dueAt, failed.attempts, failed.reply], ['failed', null, 22, '451 Later'])
  assert.deepEqual([ids.length, new Set(ids).size], [22, 1])
})

test('an email that the relay refuses fails at once, and a retry sends it', async () => {
  await using setup = await openMailSetup()
  const worker = setup.openWorker(answering('refused', '550 No such mailbox'))
  const id = await setup.queue()
  await worker.settled()
  const failed = await setup.find(id)
  await worker.close()

  const successor = setup.openWorker()
  await setup.storage.transaction((tx) => retryMail(tx, id))
  await successor.settled()

  assert.deepEqual([failed.state, failed.attempts, failed.reply], ['failed', 1, '550 No such mailbox'])
  assert.equal((await setup.find(id)).state, 'sent')
  assert.equal(setup.mailbox.mails()[0]?.headers['Message-ID'], `<${failed.messageId}@chat.test>`)
})

test('without a relay emails are kept', async () => {
  await using setup = await openMailSetup()
  const worker = setup.openWorker(storeOnlyTransport)
  const id = await setup.queue()

  await worker.settled()

  assert.deepEqual([(await setup.find(id)).state, (await setup.find(id)).dueAt], ['kept', null])
})

test('an obsolete email is canceled instead of sent', async () => {
  await using setup = await openMailSetup()
  const worker = setup.openWorker(setup.mailbox, { templates: { greeting: () => null } })
  const id = await setup.queue()

  await worker.settled()

  assert.equal((await setup.find(id)).state, 'cancelled')
  assert.deepEqual(setup.mailbox.mails(), [])
})

test('an email that cannot be rendered is deferred and logged, and others are sent', async () => {
  await using setup = await openMailSetup()
  const templates = {
    greeting: () => ({ subject: 'Hello', text: '', html: '' }),
    broken: () => {
      throw new Error('A bug')
    },
  }
  const broken = await setup.queue({ letter: 'broken' })
  const unknown = await setup.queue({ letter: 'unheard-of' })
  const sound = await setup.queue()

  await setup.openWorker(setup.mailbox, { templates }).settled()

  for (const id of [broken, unknown]) assert.equal((await setup.find(id)).dueAt, 1_000_060)
  assert.equal((await setup.find(sound)).state, 'sent')
  assert.ok(setup.logged.some((line) => line.includes('A bug')))
})

test('only a single plain address is passed to the transport', async () => {
  await using setup = await openMailSetup()
  const id = await setup.queue({ recipient: 'a@b.c\r\nBcc: d@e.f' })

  await setup.openWorker().settled()

  assert.equal((await setup.find(id)).state, 'failed')
  assert.deepEqual(setup.mailbox.mails(), [])
})
