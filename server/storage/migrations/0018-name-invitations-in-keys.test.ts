import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLooseDatabase } from '../../../test/loose-database.ts'
import { createAllTables } from './0001-create-all-tables.ts'
import { inviteByLink } from './0013-invite-by-link.ts'
import { nameInvitationsInKeys } from './0018-name-invitations-in-keys.ts'

test('the keys of pending invitations stay valid', async () => {
  await using database = await openLooseDatabase()
  const { run, migrator } = database
  await createAllTables(migrator)
  await inviteByLink(migrator)
  const kept = `"realmId", "inviterId", "email", "emailKey", "role", "createdAt", "sentAt", "keySeed", "channelIds",
    "groupIds", "includesDefaultChannels", "notifiesInviter", "uses", "allowedDomains"`
  const values = (email: string) => `1, 2, '${email}', '${email}', 400, 3, 4, 'seed', '[7]', '[]', 0, 1, 0, '[]'`
  const insert = (email: string, keyColumn: string, key: string) =>
    run(`insert into "invitations" (${kept}, "${keyColumn}") values (${values(email)}, ${key})`)
  for (const email of ['one@x.com', 'two@x.com']) await insert(email, 'keyHash', `'hash of ${email}'`)
  const invitations = `select "id", ${kept} from "invitations" order by "id"`
  const before = await run(invitations)

  await nameInvitationsInKeys(migrator)

  assert.deepEqual(await run(invitations), before)
  const keys = await run('select "formerKeyHash" from "invitations" order by "id"')
  assert.deepEqual(
    keys.map(({ formerKeyHash }) => formerKeyHash),
    ['hash of one@x.com', 'hash of two@x.com'],
  )
  await insert('three@x.com', 'formerKeyHash', 'null')
  await insert('four@x.com', 'formerKeyHash', 'null')
  await assert.rejects(insert('five@x.com', 'formerKeyHash', `'hash of one@x.com'`), /unique/i)
})
