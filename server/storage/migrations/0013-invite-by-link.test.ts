import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { CompiledQuery } from 'kysely'
import pg from 'pg'
import { onPostgres, ownDatabaseUrl } from '../../../test/database.ts'
import { migratorOver } from '../schema.ts'
import { createAllTables } from './0001-create-all-tables.ts'
import { inviteByLink } from './0013-invite-by-link.ts'

type Run = (statement: string) => Promise<Record<string, unknown>[]>

/** A database in which nothing need be there that rows refer to. */
async function openLoose(): Promise<{ run: Run; close: () => unknown }> {
  if (!onPostgres) {
    const database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false })
    return { run: async (statement) => database.prepare(statement).all(), close: () => database.close() }
  }
  const client = new pg.Client({ connectionString: (await ownDatabaseUrl()) ?? '' })
  await client.connect()
  await client.query('set session_replication_role = replica')
  return { run: async (statement) => (await client.query(statement)).rows, close: () => client.end() }
}

test('invitations that were sent before there were links stay what they were', async () => {
  const { run, close } = await openLoose()
  const runQuery = async ({ sql }: CompiledQuery) => ({ rows: await run(sql) }) as never
  const migrator = migratorOver(onPostgres ? 'postgres' : 'sqlite', runQuery)
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
  await close()
})
