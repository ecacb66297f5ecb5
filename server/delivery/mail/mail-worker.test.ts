import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMailSetup } from '../../../test/mail/mail-setup.ts'
import { sharedDatabaseUrl } from '../../../test/storage.ts'
import { testClock } from '../../platform/runtime/clock.ts'
import type { Db } from '../../platform/storage/storage.ts'
import type { EmailMessage } from './email-message.ts'
import { cancelMails } from './outbox.ts'
import type { DeliveryResult, MailTransport } from './transport.ts'

/** A transport that ends each mail as it is told, when it is told. */
function heldTransport() {
  const held: { message: EmailMessage; end: (delivery: DeliveryResult) => void }[] = []
  const transport: MailTransport = {
    send: (message) => new Promise((end) => held.push({ message, end })),
    close: () => {
      for (const { end } of held) end({ outcome: 'deferred', reply: 'Closed' })
    },
  }
  return { held, transport }
}

/** Reads of a single row come back after `gate` only. */
function withSlowSingleReads(db: Db, gate: Promise<void>): Db {
  const slow = (query: object): object =>
    new Proxy(query, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        if (name === 'executeTakeFirst') return () => gate.then(() => value.call(target))
        return (...values: unknown[]) => {
          const result = value.apply(target, values)
          return name === 'execute' ? result : slow(result)
        }
      },
    })
  const selectFrom = (table: 'mails') => slow(db.selectFrom(table))
  return Object.assign(Object.create(db), { selectFrom })
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2))
}

test('what a commit queued has been sent when the postman has settled', async () => {
  await using room = await openMailSetup()
  const postman = room.employ()
  const ids = [await room.queue({ recipient: 'Ada@example.com' }), await room.queue({ recipient: 'ben@example.com' })]

  await postman.settled()

  const [first, second] = room.mailbox.mails()
  assert.deepEqual([first?.to, second?.to].flat().sort(), ['Ada@example.com', 'ben@example.com'])
  assert.deepEqual(room.mailbox.mails({ afterId: first?.id }), [second])
  const [adas] = room.mailbox.mails({ to: 'ada@example.COM' })
  assert.deepEqual([adas?.to, adas?.subject, adas?.sentAt], [['Ada@example.com'], 'Hello', 1_000_000])
  assert.match(adas?.from ?? '', /^Parley <noreply-[a-z2-7]{24}@chat\.test>$/)
  assert.equal(adas?.headers['Auto-Submitted'], 'auto-generated')
  const mail = await room.find(ids[0] ?? 0)
  assert.deepEqual([mail.state, mail.attempts, mail.dueAt, mail.endedAt], ['sent', 1, null, 1_000_000])
  assert.equal(mail.reply, '250 Collected')
})

test('mails that an earlier process left behind are sent', async () => {
  await using room = await openMailSetup()
  await room.queue()

  await room.employ().settled()

  assert.equal(room.mailbox.mails().length, 1)
})

test('a mail for later is sent when the clock comes there, each at its own time', async () => {
  await using room = await openMailSetup()
  const postman = room.employ()
  await room.queue({ dueAt: 1_000_900 })
  await room.queue({ dueAt: 1_000_300 })
  await postman.settled()

  await room.clock.advance(299)
  const before = room.mailbox.mails().length
  await room.clock.advance(1000)

  assert.equal(before, 0)
  assert.deepEqual(
    room.mailbox.mails().map(({ sentAt }) => sentAt),
    [1_000_300, 1_000_900],
  )
})

test('no more are under way than allowed, and the others follow', async () => {
  await using room = await openMailSetup()
  const { held, transport } = heldTransport()
  for (let count = 0; count < 7; count += 1) await room.queue()
  const postman = room.employ({ ...transport, concurrency: 3 })
  await until(() => held.length === 3)
  await new Promise((resolve) => setTimeout(resolve, 20))
  const atFirst = held.length

  const settled = postman.settled()
  for (let next = 0; next < 7; next += 1) {
    await until(() => held.length > next)
    held[next]?.end({ outcome: 'sent', reply: '' })
  }
  await settled

  assert.equal(atFirst, 3)
  assert.equal(new Set(held.map(({ message }) => message.messageId)).size, 7)
})

test('a domain at which all mails hang leaves room for other domains', async () => {
  await using room = await openMailSetup()
  const { held, transport } = heldTransport()
  const recipients = () => held.map(({ message }) => message.to)
  for (let count = 0; count < 20; count += 1) await room.queue({ recipient: `new${count}@hung.example` })
  room.employ(transport)
  await until(() => held.length === 4)
  await room.clock.advance(5)
  await until(() => held.length === 6)
  for (let pause = 0; pause < 2; pause += 1) await room.clock.advance(5)

  await room.queue({ recipient: 'reset@example.com' })
  await until(() => recipients().includes('reset@example.com'))

  assert.equal(recipients().filter((recipient) => recipient.endsWith('@hung.example')).length, 6)
})

test('mails that were never tried go before those that are tried again', async () => {
  await using room = await openMailSetup()
  const { held, transport } = heldTransport()
  const postman = room.employ({ ...transport, concurrency: 1 })
  for (const name of ['first', 'second']) {
    await room.queue({ recipient: `${name}@example.com` })
    await until(() => held.at(-1)?.message.to === `${name}@example.com`)
    held.at(-1)?.end({ outcome: 'deferred', reply: '451 Later' })
    await postman.settled()
  }
  await postman.close()
  await room.clock.advance(120)
  await room.queue({ recipient: 'fresh@example.com' })

  room.employ({ ...transport, concurrency: 1 })
  await until(() => held.length === 3)

  assert.equal(held[2]?.message.to, 'fresh@example.com')
})

test('while mails are under way, transactions begin and end', async () => {
  await using room = await openMailSetup(await sharedDatabaseUrl())
  const { held, transport } = heldTransport()
  room.employ({ ...transport, concurrency: 1 })
  await room.queue()
  await until(() => held.length === 1)

  const id = await room.queue()

  assert.equal((await room.find(id)).state, 'queued')
})

test('the postman has not settled before the mails that waited for a free hand are sent, too', async () => {
  await using room = await openMailSetup()
  const { promise: reading, resolve: endReading } = Promise.withResolvers<void>()
  Object.assign(room.storage, { db: withSlowSingleReads(room.storage.db, reading) })
  const ids = [await room.queue(), await room.queue()]

  const settled = room.employ(room.mailbox).settled()
  await until(() => room.logged.some((line) => line.includes('Mail sent')))
  endReading()
  await settled

  const states = await Promise.all(ids.map(async (id) => (await room.find(id)).state))
  assert.deepEqual(states, ['sent', 'sent'])
})

test('a mail cancelled while under way is not tried again; when it did go out, the record says so', async () => {
  await using room = await openMailSetup()
  const { held, transport } = heldTransport()
  const postman = room.employ(transport)
  const ids = [await room.queue({ invitationId: 1 }), await room.queue({ invitationId: 1 })]
  await until(() => held.length === 2)

  await room.storage.transaction((tx) => cancelMails(tx, { invitationIds: [1] }))
  held[0]?.end({ outcome: 'deferred', reply: '451 Later' })
  held[1]?.end({ outcome: 'sent', reply: '250 OK' })
  await postman.settled()

  const states = await Promise.all(ids.map(async (id) => (await room.find(id)).state))
  assert.deepEqual(states.sort(), ['cancelled', 'sent'])
})

test('a process that dies with a mail under way leaves it to be sent once more, with the same Message-ID', async () => {
  await using room = await openMailSetup()
  const { held, transport } = heldTransport()
  const stoppedClock = testClock(1_000_000)
  room.employ(transport, { clock: stoppedClock })
  const id = await room.queue()
  await until(() => held.length === 1)

  const successor = room.employ()
  await successor.settled()
  const atOnce = room.mailbox.mails().length
  await room.clock.advance(59)
  const early = room.mailbox.mails().length
  await room.clock.advance(1)

  assert.deepEqual([atOnce, early, room.mailbox.mails().length], [0, 0, 1])
  assert.equal(room.mailbox.mails()[0]?.headers['Message-ID'], `<${held[0]?.message.messageId}>`)
  assert.deepEqual([(await room.find(id)).state, (await room.find(id)).attempts], ['sent', 2])
})

test('closing waits five seconds for what is under way, then defers it, and sends nothing more', async () => {
  await using room = await openMailSetup()
  const { held, transport } = heldTransport()
  const postman = room.employ({ ...transport, concurrency: 1 })
  const id = await room.queue()
  const waiting = await room.queue()
  await until(() => held.length === 1)

  const closed = postman.close()
  await room.clock.advance(5)
  await closed

  assert.deepEqual([(await room.find(id)).state, (await room.find(id)).reply], ['queued', 'Closed'])
  assert.deepEqual([(await room.find(waiting)).attempts, held.length], [0, 1])
})

test('when the outbox cannot be written, the postman rests for a minute instead of spinning', async () => {
  await using room = await openMailSetup()
  await room.queue()
  let failures = 0
  const { transaction } = room.storage
  const failing: typeof transaction = async (work) => {
    failures += 1
    if (failures <= 1) throw new Error('disk full')
    return transaction(work)
  }
  Object.assign(room.storage, { transaction: failing })

  const postman = room.employ()
  await postman.settled()
  postman.wake()
  await postman.settled()
  const whileResting = [failures, room.mailbox.mails().length]
  await room.clock.advance(60)

  assert.deepEqual(whileResting, [1, 0])
  assert.equal(room.mailbox.mails().length, 1)
})
