import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLooseDatabase } from '../../../test/loose-database.ts'
import { createAllTables } from './0001-create-all-tables.ts'
import { inviteByLink } from './0013-invite-by-link.ts'

test('invitations sent before the introduction of links are unchanged', async () => {
  await using database = await openLooseDatabase()
  const { run, migrator } = database
  await createAllTables(migrator)
  const columns = `"realmId", "inviterId", "email", "emailKey", "role", "createdAt", "sentAt", "lifetimeMinutes",
    "expiresAt", "keySeed", "keyHash", "channelIds", "groupIds", "includesDefaultChannels", "notifiesInviter", "endedAt",
    "endedAs"`
  const insert = (email: string, end: string) =>
    run(`insert into "invitations" (${columns})
      values (1, 2, '${email}', '${email}', 400, 3, 4, 5, 6, 'seed', 'hash ${email}', '[7]', '[]', 0, 1, ${end})`)
  await insert('used@x.com', `8, 'accepted'`)
  await insert('open@x.com', 'null, null')
  const kept = `select "id", ${columns} from "invitations" order by "id"`
  const before = await run(kept)

  await inviteByLink(migrator)

  assert.deepEqual(await run(kept), before)
  const added = await run('select "maxUses", "uses", "allowedDomains" from "invitations" order by "id"')
  assert.deepEqual(
    added.map(({ maxUses, uses, allowedDomains }) => [Number(maxUses), Number(uses), allowedDomains]),
    [
      [1, 1, '[]'],
      [1, 0, '[]'],
    ],
  )
})
