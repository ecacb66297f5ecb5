import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findUser } from '#people/user-queries.ts'
import type { User } from '#people/users.ts'
import { Role } from '#rules/role.ts'
import { countStatements } from '../../test/count-statements.ts'
import { onPostgres } from '../../test/database.ts'
import { startChat } from '../../test/harness.ts'
import { recordStatements } from '../../test/record-statements.ts'
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

test('an invitation does not read all users of the organization, although it locks the addresses', {
  skip: !onPostgres && 'there is no lock on SQLite',
}, async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')
  await alice.succeed('POST /invites', { invitee_emails: 'one@x.com', stream_ids: [] })

  const statements = await recordStatements(() =>
    alice.succeed('POST /invites', { invitee_emails: 'two@x.com', stream_ids: [] }),
  )

  const texts = statements.map(({ text }) => text)
  assert.ok(texts.some((text) => text.includes('from "realms"') && text.endsWith('for no key update')))
  assert.deepEqual(
    texts.filter((text) => text.includes('"joinedAt" from "users" where "realmId"')),
    [],
  )
})
