import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testClock } from '#lib/clock.ts'
import type { Db } from '#storage/storage.ts'
import { openMailSetup } from '../../test/mail/mail-setup.ts'
import { sharedDatabaseUrl } from '../../test/storage.ts'
import type { DeliveryResult, MailTransport } from './delivery.ts'
import { cancelMails } from './outbox.ts'
import type { EmailMessage } from './render-email.ts'

/** Returns a transport that finishes an email only when the test calls its `end` function. */
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

/** Returns a database whose reads of a single row wait for `gate`. */
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

test('queued emails have been sent when the worker has settled', async () => {
  await using setup = await openMailSetup()
  const worker = setup.openWorker()
  const ids = [await setup.queue({ recipient: 'Ada@example.com' }), await setup.queue({ recipient: 'ben@example.com' })]

  await worker.settled()

  const [first, second] = setup.mailbox.mails()
  assert.deepEqual([first?.to, second?.to].flat().sort(), ['Ada@example.com', 'ben@example.com'])
  assert.deepEqual(setup.mailbox.mails({ afterId: first?.id }), [second])
  const [adas] = setup.mailbox.mails({ to: 'ada@example.COM' })
  assert.deepEqual([adas?.to, adas?.subject, adas?.sentAt], [['Ada@example.com'], 'Hello', 1_000_000])
  assert.match(adas?.from ?? '', /^Parley <noreply-[a-z2-7]{26}@chat\.test>$/)
  assert.equal(adas?.headers['Auto-Submitted'], 'auto-generated')
  const mail = await setup.find(ids[0] ?? 0)
  assert.deepEqual([mail.state, mail.attempts, mail.dueAt, mail.endedAt], ['sent', 1, null, 1_000_000])
  assert.equal(mail.reply, '250 Collected')
})

test('emails that an earlier process left are sent', async () => {
  await using setup = await openMailSetup()
  await setup.queue()

  await setup.openWorker().settled()

  assert.equal(setup.mailbox.mails().length, 1)
})

test('an email for later is sent at its time', async () => {
  await using setup = await openMailSetup()
  const worker = setup.openWorker()
  await setup.queue({ dueAt: 1_000_900 })
  await setup.queue({ dueAt: 1_000_300 })
  await worker.settled()

  await setup.clock.advance(299)
  const before = setup.mailbox.mails().length
  await setup.clock.advance(1000)

  assert.equal(before, 0)
  assert.deepEqual(
    setup.mailbox.mails().map(({ sentAt }) => sentAt),
    [1_000_300, 1_000_900],
  )
})

test('no more emails are sent at a time than allowed, and the others follow', async () => {
  await using setup = await openMailSetup()
  const { held, transport } = heldTransport()
  for (let count = 0; count < 7; count += 1) await setup.queue()
  const worker = setup.openWorker({ ...transport, concurrency: 3 })
  await until(() => held.length === 3)
  await new Promise((resolve) => setTimeout(resolve, 20))
  const atFirst = held.length

  const settled = worker.settled()
  for (let next = 0; next < 7; next += 1) {
    await until(() => held.length > next)
    held[next]?.end({ outcome: 'sent', reply: '' })
  }
  await settled

  assert.equal(atFirst, 3)
  assert.equal(new Set(held.map(({ message }) => message.messageId)).size, 7)
})

test('a domain whose emails hang does not block other domains', async () => {
  await using setup = await openMailSetup()
  const { held, transport } = heldTransport()
  const recipients = () => held.map(({ message }) => message.to)
  for (let count = 0; count < 20; count += 1) await setup.queue({ recipient: `new${count}@hung.example` })
  setup.openWorker(transport)
  await until(() => held.length === 4)
  await setup.clock.advance(5)
  await until(() => held.length === 6)
  for (let pause = 0; pause < 2; pause += 1) await setup.clock.advance(5)

  await setup.queue({ recipient: 'reset@example.com' })
  await until(() => recipients().includes('reset@example.com'))

  assert.equal(recipients().filter((recipient) => recipient.endsWith('@hung.example')).length, 6)
})

test('new emails are sent before those that are tried again', async () => {
  await using setup = await openMailSetup()
  const { held, transport } = heldTransport()
  const worker = setup.openWorker({ ...transport, concurrency: 1 })
  for (const name of ['first', 'second']) {
    await setup.queue({ recipient: `${name}@example.com` })
    await until(() => held.at(-1)?.message.to === `${name}@example.com`)
    held.at(-1)?.end({ outcome: 'deferred', reply: '451 Later' })
    await worker.settled()
  }
  await worker.close()
  await setup.clock.advance(120)
  await setup.queue({ recipient: 'fresh@example.com' })

  setup.openWorker({ ...transport, concurrency: 1 })
  await until(() => held.length === 3)

  assert.equal(held[2]?.message.to, 'fresh@example.com')
})

test('transactions are possible while emails are being sent', async () => {
  await using setup = await openMailSetup(await sharedDatabaseUrl())
  const { held, transport } = heldTransport()
  setup.openWorker({ ...transport, concurrency: 1 })
  await setup.queue()
  await until(() => held.length === 1)

  const id = await setup.queue()

  assert.equal((await setup.find(id)).state, 'queued')
})

test('the worker settles only after the emails that waited for their turn are sent', async () => {
  await using setup = await openMailSetup()
  const { promise: reading, resolve: endReading } = Promise.withResolvers<void>()
  Object.assign(setup.storage, { db: withSlowSingleReads(setup.storage.db, reading) })
  const ids = [await setup.queue(), await setup.queue()]

  const settled = setup.openWorker(setup.mailbox).settled()
  await until(() => setup.logged.some((line) => line.includes('Email sent')))
  endReading()
  await settled

  const states = await Promise.all(ids.map(async (id) => (await setup.find(id)).state))
  assert.deepEqual(states, ['sent', 'sent'])
})

test('an email that is canceled while it is being sent is not sent again, and counts as sent if it was', async () => {
  await using setup = await openMailSetup()
  const { held, transport } = heldTransport()
  const worker = setup.openWorker(transport)
  const ids = [await setup.queue({ invitationId: 1 }), await setup.queue({ invitationId: 1 })]
  await until(() => held.length === 2)

  await setup.storage.transaction((tx) => cancelMails(tx, { invitationIds: [1] }))
  held[0]?.end({ outcome: 'deferred', reply: '451 Later' })
  held[1]?.end({ outcome: 'sent', reply: '250 OK' })
  await worker.settled()

  const states = await Promise.all(ids.map(async (id) => (await setup.find(id)).state))
  assert.deepEqual(states.sort(), ['cancelled', 'sent'])
})

test('an email is sent again with the same Message-ID if the process crashes while sending it', async () => {
  await using setup = await openMailSetup()
  const { held, transport } = heldTransport()
  const stoppedClock = testClock(1_000_000)
  setup.openWorker(transport, { clock: stoppedClock })
  const id = await setup.queue()
  await until(() => held.length === 1)

  const successor = setup.openWorker()
  await successor.settled()
  const atOnce = setup.mailbox.mails().length
  await setup.clock.advance(59)
  const early = setup.mailbox.mails().length
  await setup.clock.advance(1)

  assert.deepEqual([atOnce, early, setup.mailbox.mails().length], [0, 0, 1])
  assert.equal(setup.mailbox.mails()[0]?.headers['Message-ID'], `<${held[0]?.message.messageId}>`)
  assert.deepEqual([(await setup.find(id)).state, (await setup.find(id)).attempts], ['sent', 2])
})

test('closing waits five seconds for emails in progress, then defers them, and sends no others', async () => {
  await using setup = await openMailSetup()
  const { held, transport } = heldTransport()
  const worker = setup.openWorker({ ...transport, concurrency: 1 })
  const id = await setup.queue()
  const waiting = await setup.queue()
  await until(() => held.length === 1)

  const closed = worker.close()
  await setup.clock.advance(5)
  await closed

  assert.deepEqual([(await setup.find(id)).state, (await setup.find(id)).reply], ['queued', 'Closed'])
  assert.deepEqual([(await setup.find(waiting)).attempts, held.length], [0, 1])
})

test('when the outbox cannot be written, the worker waits for a minute', async () => {
  await using setup = await openMailSetup()
  await setup.queue()
  let failures = 0
  const { transaction } = setup.storage
  const failing: typeof transaction = async (work) => {
    failures += 1
    if (failures <= 1) throw new Error('disk full')
    return transaction(work)
  }
  Object.assign(setup.storage, { transaction: failing })

  const worker = setup.openWorker()
  await worker.settled()
  worker.wake()
  await worker.settled()
  const whileResting = [failures, setup.mailbox.mails().length]
  await setup.clock.advance(60)

  assert.deepEqual(whileResting, [1, 0])
  assert.equal(setup.mailbox.mails().length, 1)
})
