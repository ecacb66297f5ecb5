import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { queueMail } from '#mail/outbox.ts'
import { findUser } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import { Role } from '#rules/role.ts'
import { startChat } from '../../test/harness.ts'
import { A_WHILE, whileTransactionIsOpen } from '../../test/open-transaction.ts'
import type { InvitationOptions } from './invitation.ts'
import { REMINDER_TEMPLATE } from './invitation-emails.ts'
import { sendInvitations } from './send-invitations.ts'

const DAY = 86_400

const offer: InvitationOptions = {
  role: Role.member,
  lifetimeMinutes: 14_400,
  channelIds: [],
  groupIds: [],
  includesDefaultChannels: false,
  notifiesInviter: true,
}

test('if two organizations invite one address at once, only the later invitation gets a reminder', async () => {
  const chat = await startChat()
  const [alice, ben] = [await chat.user('alice'), await chat.user('ben', { realm: await chat.organization('other') })]
  const inviter: Actor = { ...(await findUser(chat.app.services.db, alice.id))!, realm: chat.realm }

  await whileTransactionIsOpen(
    chat,
    (tx) => sendInvitations(tx, inviter, 'new@x.com', offer),
    () => ben.succeed('POST /invites', { invitee_emails: 'NEW@x.com', stream_ids: [] }),
  )
  await chat.mail()
  await chat.clock.advance(9 * DAY)

  assert.deepEqual((await chat.mail()).map(({ subject }) => subject).sort(), [
    'Alice has invited you to join Example',
    'Ben has invited you to join other',
    'Reminder: Join Ben at other',
  ])
})

test('revoking an invitation waits for the first of several reminders to the address before it locks its own', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')
  const { transaction } = chat.app.services
  await alice.succeed('POST /invites', { invitee_emails: 'new@x.com', stream_ids: [], invite_expires_in_minutes: 60 })
  const [{ id }] = (await alice.succeed('GET /invites'))['invites']
  const reminder = {
    realmId: chat.realm.id,
    recipient: 'new@x.com',
    letter: REMINDER_TEMPLATE,
    data: {},
    dueAt: chat.clock.now() + DAY,
  }
  const first = await transaction((tx) => queueMail(tx, reminder))
  const own = await transaction((tx) => queueMail(tx, { ...reminder, invitationId: id }))

  let withdrawing: Promise<unknown> | undefined
  await transaction(async (tx) => {
    const lock = (mailId: number) =>
      tx.db.selectFrom('mails').select('id').where('id', '=', mailId).forUpdate().noWait()
    await lock(first).execute()
    withdrawing = alice.succeed(`DELETE /invites/${id}`)
    await sleep(A_WHILE)
    await lock(own).execute()
  })
  await withdrawing
  await chat.clock.advance(2 * DAY)

  assert.equal((await chat.mail()).length, 1)
})
