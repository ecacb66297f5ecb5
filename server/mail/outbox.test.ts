import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openMailSetup } from '../../test/mail/mail-setup.ts'
import { A_WHILE } from '../../test/open-transaction.ts'
import { cancelMails, queueMail, retryMail } from './outbox.ts'
import { findMail, findMails } from './queries.ts'

test('a queued email is due at once, or at the given time', async () => {
  await using setup = await openMailSetup()

  const now = await setup.queue({ recipient: 'Ada@Example.com', data: { names: ['ada'] } })
  const later = await setup.queue({ dueAt: 1_000_500, invitationId: 7 })

  const { messageId, ...mail } = await setup.find(now)
  assert.match(messageId, /^[a-z2-7]{32}$/)
  assert.deepEqual(mail, {
    id: now,
    realmId: null,
    recipient: 'Ada@Example.com',
    letter: 'greeting',
    data: { names: ['ada'] },
    invitationId: null,
    createdAt: 1_000_000,
    state: 'queued',
    dueAt: 1_000_000,
    attempts: 0,
    reply: null,
    endedAt: null,
  })
  assert.equal((await setup.find(later)).dueAt, 1_000_500)
  assert.notEqual((await setup.find(later)).messageId, messageId)
})

test('an email is not queued when its transaction fails', async () => {
  await using setup = await openMailSetup()
  const worker = setup.openWorker()

  await assert.rejects(
    setup.storage.transaction(async (tx) => {
      await queueMail(tx, { realmId: null, recipient: 'a@b.c', letter: 'greeting', data: {} })
      throw new Error('No')
    }),
  )
  await worker.settled()

  assert.deepEqual(await findMails(setup.storage.db), [])
  assert.deepEqual(setup.mailbox.mails(), [])
})

test('queued emails are canceled by invitation, or by template and address', async () => {
  await using setup = await openMailSetup()
  const sent = await setup.queue({ invitationId: 1 })
  await setup.openWorker().settled()
  const waiting = { dueAt: 2_000_000 }
  const ofInvitation = await setup.queue({ ...waiting, invitationId: 1 })
  const reminder = await setup.queue({ ...waiting, letter: 'reminder', recipient: 'ADA@example.com', realmId: 1 })
  const others = [
    await setup.queue({ ...waiting, invitationId: 2 }),
    await setup.queue({ ...waiting, letter: 'welcome', recipient: 'ada@example.com' }),
    await setup.queue({ ...waiting, letter: 'reminder', recipient: 'ben@example.com' }),
  ]

  await setup.storage.transaction(async (tx) => {
    await cancelMails(tx, { invitationIds: [1] })
    await cancelMails(tx, { recipients: ['ada@EXAMPLE.com'], letter: 'reminder' })
  })

  for (const id of [ofInvitation, reminder]) {
    const { state, dueAt, endedAt } = await setup.find(id)
    assert.deepEqual([state, dueAt, endedAt], ['cancelled', null, 1_000_000])
  }
  for (const id of others) assert.equal((await setup.find(id)).state, 'queued')
  assert.equal((await setup.find(sent)).state, 'sent')
})

test('emails are canceled in the order of their ids', async () => {
  await using setup = await openMailSetup()
  const { transaction } = setup.storage
  const first = await setup.queue({ recipient: 'ada@example.com', dueAt: 2_000_000 })
  const second = await setup.queue({ recipient: 'ben@example.com', dueAt: 2_000_000 })
  await transaction((tx) => retryMail(tx, first))
  const recipients = ['ben@example.com', 'ada@example.com']

  let cancelling: Promise<void> | undefined
  await transaction(async (tx) => {
    await retryMail(tx, first)
    cancelling = transaction((other) => cancelMails(other, { recipients, letter: 'greeting' }))
    await sleep(A_WHILE)
    await tx.db.selectFrom('mails').select('id').where('id', '=', second).forUpdate().noWait().execute()
  })
  await cancelling

  for (const id of [first, second]) assert.equal((await setup.find(id)).state, 'cancelled')
})

test('nothing is canceled without an invitation or address', async () => {
  await using setup = await openMailSetup()
  const id = await setup.queue({ invitationId: 1, dueAt: 2_000_000 })

  await setup.storage.transaction(async (tx) => {
    await cancelMails(tx, { invitationIds: [] })
    await cancelMails(tx, { recipients: [], letter: 'greeting' })
  })

  assert.equal((await setup.find(id)).state, 'queued')
})

test('emails are found by each filter, newest first', async () => {
  await using setup = await openMailSetup()
  const { db } = setup.storage
  const first = await setup.queue({ realmId: 1, invitationId: 5 })
  const second = await setup.queue({ realmId: 2, recipient: 'Ada@example.com' })
  const third = await setup.queue({ realmId: 1 })
  const idsOf = async (filter: Parameters<typeof findMails>[1]) => (await findMails(db, filter)).map(({ id }) => id)

  assert.deepEqual(await idsOf({}), [third, second, first])
  assert.deepEqual(await idsOf({ limit: 2 }), [third, second])
  assert.deepEqual(await idsOf({ beforeId: third, limit: 1 }), [second])
  assert.deepEqual(await idsOf({ realmId: 1 }), [third, first])
  assert.deepEqual(await idsOf({ recipient: 'ada@EXAMPLE.com' }), [second])
  assert.deepEqual(await idsOf({ invitationIds: [5, 6] }), [first])
  assert.deepEqual(await idsOf({ invitationIds: [] }), [])
  assert.deepEqual(await idsOf({ state: 'sent' }), [])
  assert.equal(await findMail(db, third + 1), null)
})

test('a retry makes a failed or kept email due with all its attempts, and leaves sent and canceled ones unchanged', async () => {
  await using setup = await openMailSetup()
  const endAs = (state: string, id: number) =>
    setup.storage.transaction((tx) =>
      tx
        .updateTable('mails')
        .set({ state, dueAt: null, attempts: 3, endedAt: 5, reply: '550 No' })
        .where('id', '=', id)
        .execute(),
    )
  const outcomes: Record<string, boolean> = {}
  for (const state of ['failed', 'kept', 'sent', 'cancelled']) {
    const id = await setup.queue()
    await endAs(state, id)

    outcomes[state] = await setup.storage.transaction((tx) => retryMail(tx, id))

    const mail = await setup.find(id)
    const expected = outcomes[state] ? ['queued', 1_000_000, 0, null] : [state, null, 3, 5]
    assert.deepEqual([mail.state, mail.dueAt, mail.attempts, mail.endedAt], expected)
  }

  assert.deepEqual(outcomes, { failed: true, kept: true, sent: false, cancelled: false })
  assert.equal(await setup.storage.transaction((tx) => retryMail(tx, 999)), false)
})
