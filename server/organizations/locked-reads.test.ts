import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { Role } from '#rules/role.ts'
import { refusalResponse } from '../../test/channels.ts'
import { onPostgres } from '../../test/database.ts'
import { type Chat, startChat } from '../../test/harness.ts'

const skip = !onPostgres && 'on SQLite there are no other nodes'

/** Commits a change without notifying this process, like another node just before it releases the lock. */
async function commitWithoutNotifying(chat: Chat, statement: string, values: unknown[]): Promise<void> {
  const others = new pg.Client({ connectionString: chat.settings.DATABASE_URL })
  await others.connect()
  await others.query(statement, values)
  await others.end()
}

test('the transaction that gets the lock of an organization sees the changes of those before it', {
  skip,
}, async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const realmId = chat.realm.id
  for (const route of ['GET /realm/linkifiers', 'GET /realm/domains', 'GET /user_groups']) await ada.succeed(route)
  const makers = { name: 'makers', description: '', members: [] }
  const { group_id } = await ada.succeed('POST /user_groups/create', makers)

  await commitWithoutNotifying(
    chat,
    'insert into "linkifiers" ("realmId", "pattern", "urlTemplate", "position") values ($1, $2, $3, 1)',
    [realmId, 'x', 'https://x.com'],
  )
  const domain = 'x.com'
  await commitWithoutNotifying(
    chat,
    'insert into "realmDomains" ("realmId", "domain", "allowSubdomains") values ($1, $2, 0)',
    [realmId, domain],
  )
  await ada.succeed('GET /user_groups')
  await commitWithoutNotifying(chat, 'update "userGroups" set "deactivatedAt" = 1 where "id" = $1', [group_id])

  const linkifier = await ada.call('POST /realm/filters', { pattern: 'x', url_template: 'https://y.com' })
  const added = await ada.call('POST /realm/domains', { domain, allow_subdomains: false })
  const others = { name: 'others', description: '', members: [], can_manage_group: group_id }
  const group = await ada.call('POST /user_groups/create', others)

  assert.deepEqual(linkifier, refusalResponse('A linkifier with this pattern already exists.'))
  assert.deepEqual(added, refusalResponse('The domain x.com is already a part of your organization.'))
  assert.deepEqual(group, refusalResponse('User group is deactivated.'))
})

test('an emoji that another node has just added or removed is found or missing at once', { skip }, async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  await commitWithoutNotifying(
    chat,
    `insert into "realmEmoji" ("realmId", "name", "authorId", "fileName", "createdAt") values ($1, 'tea', $2, 'x.png', 1)`,
    [chat.realm.id, ada.id],
  )
  assert.equal(Object.keys((await ada.succeed('GET /realm/emoji'))['emoji']).length, 1)
  await commitWithoutNotifying(chat, `update "realmEmoji" set "deactivatedAt" = 1 where "realmId" = $1`, [
    chat.realm.id,
  ])

  const removed = await ada.call('DELETE /realm/emoji/tea')

  assert.deepEqual(removed, { ...refusalResponse("Emoji 'tea' does not exist"), status: 404 })
})
