import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countStatements } from '../../test/count-statements.ts'
import { onPostgres } from '../../test/database.ts'
import { startChat } from '../../test/harness.ts'
import { findUser } from '../people/users/queries.ts'
import { Role } from '../people/users/role.ts'
import type { User } from '../people/users/user.ts'
import type { InvitationOptions } from './invitation.ts'
import { sendInvitations } from './send-invitations.ts'

const skip = onPostgres && 'statements are counted on SQLite'

const offer: InvitationOptions = {
  role: Role.member,
  lifetimeMinutes: 14_400,
  channelIds: [],
  groupIds: [],
  includesDefaultChannels: false,
  notifiesInviter: true,
}

test('inviting a hundred people, with emails and reminders, takes a few dozen statements', {
  skip,
}, async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')
  const addresses = Array.from({ length: 100 }, (_, at) => `new${at}@x.com`).join(',')

  const count = await chat.app.services.transaction(async (tx) => {
    const actor = { ...((await findUser(tx.db, alice.id)) as User), realm: chat.realm }
    return countStatements(() => sendInvitations(tx, actor, addresses, offer))
  })

  const { invites } = await alice.succeed('GET /invites')
  assert.equal(invites.length, 100)
  assert.ok(count < 30, `${count} statements`)
})

test('refusing missing channels takes a few statements, regardless of their number', { skip }, async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')
  const channelIds = Array.from({ length: 5000 }, (_, at) => 1_000_000 + at)

  const count = await chat.app.services.transaction(async (tx) => {
    const actor = { ...((await findUser(tx.db, alice.id)) as User), realm: chat.realm }
    return countStatements(() =>
      assert.rejects(sendInvitations(tx, actor, 'new@x.com', { ...offer, channelIds }), {
        message: 'Invalid channel ID 1000000. No invites were sent.',
      }),
    )
  })

  assert.ok(count < 15, `${count} statements`)
})
