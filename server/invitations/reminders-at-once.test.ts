import assert from 'node:assert/strict'
import { test } from 'node:test'
import { during } from '../../test/during.ts'
import { startChat } from '../../test/harness.ts'
import { findUser } from '../users/queries.ts'
import { Role } from '../users/role.ts'
import type { Actor } from '../users/user.ts'
import type { Offer } from './invitation.ts'
import { sendInvitations } from './send-invitations.ts'

const DAY = 86_400

const offer: Offer = {
  role: Role.member,
  lifetimeMinutes: 14_400,
  channelIds: [],
  groupIds: [],
  includesDefaultChannels: false,
  notifiesInviter: true,
}

test('of two invitations that are made to one address at once one is called to mind, the later', async () => {
  const chat = await startChat()
  const [alice, ben] = [await chat.user('alice'), await chat.user('ben')]
  const inviter: Actor = { ...(await findUser(chat.app.services.db, alice.id))!, realm: chat.realm }

  await during(
    chat,
    (tx) => sendInvitations(tx, inviter, 'new@x.com', offer),
    () => ben.succeed('POST /invites', { invitee_emails: 'NEW@x.com', stream_ids: [] }),
  )
  await chat.mail()
  await chat.clock.advance(9 * DAY)

  assert.deepEqual((await chat.mail()).map(({ subject }) => subject).sort(), [
    'Alice has invited you to join Example',
    'Ben has invited you to join Example',
    'Reminder: Join Ben at Example',
  ])
})
