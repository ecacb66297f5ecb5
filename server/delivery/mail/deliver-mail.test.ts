import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMailSetup } from '../../../test/mail/mail-setup.ts'
import { retryMail } from './outbox.ts'
import { type DeliveryResult, type MailTransport, storeOnlyTransport } from './transport.ts'

const answering = (outcome: DeliveryResult['outcome'], reply = ''): MailTransport => ({
  send: async () => ({ outcome, reply }),
  close: () => {},
})

test('a deferred mail is tried again with the same Message-ID until it has been enough, and then fails visibly', async () => {
  await using room = await openMailSetup()
  const ids: string[] = []
  const transport: MailTransport = {
    async send(message) {
      ids.push(message.messageId)
      return { outcome: 'deferred', reply: '451 Later' }
    },
    close: () => {},
  }
  const postman = room.employ(transport)
  const id = await room.queue()
  await postman.settled()
  const deferred = await room.find(id)

  await room.clock.advance(4 * 86_400)

  const failed = await room.find(id)
  assert.deepEqual(
    [deferred.state, deferred.dueAt, deferred.attempts, deferred.reply],
    ['queued', 1_000_060, 1, '451 Later'],
  )
  assert.deepEqual([failed.state, failed.dueAt, failed.attempts, failed.reply], ['failed', null, 22, '451 Later'])
  assert.deepEqual([ids.length, new Set(ids).size], [22, 1])
})

test('a mail that the relay refuses for good fails at once; a retry sends it', async () => {
  await using room = await openMailSetup()
  const postman = room.employ(answering('refused', '550 No such mailbox'))
  const id = await room.queue()
  await postman.settled()
  const failed = await room.find(id)
  await postman.close()

  const successor = room.employ()
  await room.storage.transaction((tx) => retryMail(tx, id))
  await successor.settled()

  assert.deepEqual([failed.state, failed.attempts, failed.reply], ['failed', 1, '550 No such mailbox'])
  assert.equal((await room.find(id)).state, 'sent')
  assert.equal(room.mailbox.mails()[0]?.headers['Message-ID'], `<${failed.messageId}@chat.test>`)
})

test('without a relay mails are kept', async () => {
  await using room = await openMailSetup()
  const postman = room.employ(storeOnlyTransport)
  const id = await room.queue()

  await postman.settled()

  assert.deepEqual([(await room.find(id)).state, (await room.find(id)).dueAt], ['kept', null])
})

test('a letter that no longer holds is cancelled instead of sent', async () => {
  await using room = await openMailSetup()
  const postman = room.employ(room.mailbox, { writers: { greeting: () => null } })
  const id = await room.queue()

  await postman.settled()

  assert.equal((await room.find(id)).state, 'cancelled')
  assert.deepEqual(room.mailbox.mails(), [])
})

test('a letter that cannot be written is deferred and logged, and others are sent', async () => {
  await using room = await openMailSetup()
  const writers = {
    greeting: () => ({ subject: 'Hello', text: '', html: '' }),
    broken: () => {
      throw new Error('A bug')
    },
  }
  const broken = await room.queue({ letter: 'broken' })
  const unknown = await room.queue({ letter: 'unheard-of' })
  const sound = await room.queue()

  await room.employ(room.mailbox, { writers }).settled()

  for (const id of [broken, unknown]) assert.equal((await room.find(id)).dueAt, 1_000_060)
  assert.equal((await room.find(sound)).state, 'sent')
  assert.ok(room.logged.some((line) => line.includes('A bug')))
})

test('what is not one bare address is never handed to the transport', async () => {
  await using room = await openMailSetup()
  const id = await room.queue({ recipient: 'a@b.c\r\nBcc: d@e.f' })

  await room.employ().settled()

  assert.equal((await room.find(id)).state, 'failed')
  assert.deepEqual(room.mailbox.mails(), [])
})
