import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { MIGRATIONS } from '../migrations.ts'
import { migratorOver } from '../schema.ts'
import type { Dialect } from '../storage.ts'
import { released } from './released.ts'

/** Returns the statements that a migration runs. */
async function statementsOf(apply: (typeof MIGRATIONS)[number]['apply'], dialect: Dialect): Promise<string[]> {
  const statements: string[] = []
  const run = async ({ sql }: { sql: string }) => {
    statements.push(sql)
    return { rows: [] }
  }
  await apply(migratorOver(dialect, run))
  return statements
}

async function hashOf({ apply }: (typeof MIGRATIONS)[number]): Promise<string> {
  const statements = [await statementsOf(apply, 'sqlite'), await statementsOf(apply, 'postgres')]
  return createHash('sha256').update(JSON.stringify(statements)).digest('base64url').slice(0, 16)
}

test('a migration on main runs the same statements forever', async () => {
  const found: Record<string, string> = {}
  for (const migration of MIGRATIONS) found[migration.name] = await hashOf(migration)

  for (const [name, hash] of Object.entries(found))
    assert.equal(
      released[name] ?? `'${name}': '${hash}' is to be added to released.ts`,
      hash,
      `Databases have ${name} already. Put it back, and write a new migration for the change`,
    )
  assert.deepEqual(Object.keys(released), Object.keys(found))
})
