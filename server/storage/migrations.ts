import { CompiledQuery } from 'kysely'
import { createAllTables } from './migrations/0047-create-all-tables.ts'
import { createIncomingWebhooks } from './migrations/0048-create-incoming-webhooks.ts'
import { createWebhookDeliveries } from './migrations/0049-create-webhook-deliveries.ts'
import { addReminders } from './migrations/0050-add-reminders.ts'
import { createZoomTokens } from './migrations/0051-create-zoom-tokens.ts'
import { createMailIn } from './migrations/0052-create-mail-in.ts'
import { createOutgoingDeliveries } from './migrations/0053-create-outgoing-deliveries.ts'
import { createBotCommands } from './migrations/0054-create-bot-commands.ts'
import { addDeliveryDestinations } from './migrations/0055-add-delivery-destinations.ts'
import { createAuditEntries } from './migrations/0056-create-audit-entries.ts'
import { createSecondFactors } from './migrations/0057-create-second-factors.ts'
import { createScim } from './migrations/0058-create-scim.ts'
import { createErasures } from './migrations/0059-create-erasures.ts'
import { createMobilePushes } from './migrations/0060-create-mobile-pushes.ts'
import { createLegalHolds } from './migrations/0061-create-legal-holds.ts'
import { createSignIns } from './migrations/0062-create-sign-ins.ts'
import { addIdentityIssuers } from './migrations/0063-add-identity-issuers.ts'
import { requireSecondFactors } from './migrations/0064-require-second-factors.ts'
import { addDemoOrganizations } from './migrations/0065-add-demo-organizations.ts'
import { storeTimesExactly } from './migrations/0066-store-times-exactly.ts'
import { type Migrator, migratorOver } from './schema.ts'
import { CannotOpenStorage } from './storage.ts'
import type { Engine, RunStatement } from './transactions/engine.ts'

// The migrations of the database. Each is applied once, in its own transaction. A released migration never changes. A
// database of a newer version of the program is refused.

type Migration = { name: string; apply: (migrator: Migrator) => Promise<void> }

/**
 * The number of the last migration before release 0.1.0. It led to the same tables as the first migration below, so such
 * a database only gets the number of that.
 */
const LAST_UNRELEASED = 46

/**
 * The migrations in order, numbered from 47 without gaps. Never change one on main, as released.test.ts checks. Kysely's
 * own migrator is not used: on SQLite it changes tables outside of a transaction (docs/dependencies.md).
 */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0047-create-all-tables', apply: createAllTables },
  { name: '0048-create-incoming-webhooks', apply: createIncomingWebhooks },
  { name: '0049-create-webhook-deliveries', apply: createWebhookDeliveries },
  { name: '0050-add-reminders', apply: addReminders },
  { name: '0051-create-zoom-tokens', apply: createZoomTokens },
  { name: '0052-create-mail-in', apply: createMailIn },
  { name: '0053-create-outgoing-deliveries', apply: createOutgoingDeliveries },
  { name: '0054-create-bot-commands', apply: createBotCommands },
  { name: '0055-add-delivery-destinations', apply: addDeliveryDestinations },
  { name: '0056-create-audit-entries', apply: createAuditEntries },
  { name: '0057-create-second-factors', apply: createSecondFactors },
  { name: '0058-create-scim', apply: createScim },
  { name: '0059-create-erasures', apply: createErasures },
  { name: '0060-create-mobile-pushes', apply: createMobilePushes },
  { name: '0061-create-legal-holds', apply: createLegalHolds },
  { name: '0062-create-sign-ins', apply: createSignIns },
  { name: '0063-add-identity-issuers', apply: addIdentityIssuers },
  { name: '0064-require-second-factors', apply: requireSecondFactors },
  { name: '0065-add-demo-organizations', apply: addDemoOrganizations },
  { name: '0066-store-times-exactly', apply: storeTimesExactly },
]

const NEWEST = LAST_UNRELEASED + MIGRATIONS.length

/** Returns the number of the last migration of the database; 0 if it is empty. */
export async function findSchemaVersion(run: RunStatement, dialect: 'sqlite' | 'postgres'): Promise<number> {
  const exists =
    dialect === 'sqlite'
      ? `select 1 as found from sqlite_schema where name = 'migrations'`
      : `select 1 as found where to_regclass('migrations') is not null`
  if ((await run(CompiledQuery.raw(exists))).rows.length === 0) return 0
  const { rows } = await run(CompiledQuery.raw('select max("number") as "version" from "migrations"'))
  return (rows as { version: number | null }[])[0]?.version ?? 0
}

/** Refuses a database that a newer version of the program has migrated, or that is too old to be migrated. */
export function requireKnownVersion(version: number): void {
  if (version > NEWEST)
    throw new CannotOpenStorage(
      `The database is newer than this program: it has migration ${version}, and ${NEWEST} is the last known. ` +
        'It was left as it is. Run the newer program, or restore a backup made before the upgrade.',
    )
  if (version > 0 && version < LAST_UNRELEASED)
    throw new CannotOpenStorage(
      `The database is of a version before 0.1.0: it has migration ${version}, and ${LAST_UNRELEASED} is the first that ` +
        'can be migrated. It was left as it is. Start the last version before 0.1.0 once, then this one.',
    )
}

/** Refuses a database that has to be migrated while nodes of an older version serve it. */
export function requireNoMigration(version: number): void {
  if (!needsMigration(version)) return
  throw new CannotOpenStorage(
    `Other nodes serve the database with migration ${version}, and this program needs ${NEWEST}. ` +
      'Stop all nodes, then start the new version: the first to start migrates the database.',
  )
}

export function needsMigration(version: number): boolean {
  return version < NEWEST
}

/** Applies the missing migrations, each in its own transaction, and returns their names. */
export async function migrate(engine: Engine, appliedAt: number): Promise<string[]> {
  const applied: string[] = []
  for (;;) {
    const version = await findSchemaVersion(engine.read, engine.dialect)
    // A newer program may have migrated the database since the first check, while this process waited for the lock.
    requireKnownVersion(version)
    if (!needsMigration(version)) return applied
    const name = await applyNext(engine, appliedAt)
    if (name !== null) applied.push(name)
  }
}

async function applyNext(engine: Engine, appliedAt: number): Promise<string | null> {
  const open = await engine.begin()
  try {
    const version = await findSchemaVersion(open.run, engine.dialect)
    requireKnownVersion(version)
    const number = Math.max(version, LAST_UNRELEASED) + 1
    const migration = MIGRATIONS[number - LAST_UNRELEASED - 1]
    if (migration !== undefined) {
      const migrator = migratorOver(engine.dialect, open.run)
      if (version === 0) await createMigrationsTable(migrator)
      if (version !== LAST_UNRELEASED) await migration.apply(migrator)
      await open.run(insertion(engine.dialect, number, migration.name, appliedAt))
    }
    await open.commit(() => {})
    return migration?.name ?? null
  } catch (error) {
    await open.rollBack()
    throw error
  } finally {
    open.release()
  }
}

async function createMigrationsTable(migrator: Migrator): Promise<void> {
  await migrator.createTable('migrations', {
    columns: { number: 'integer', name: 'text', appliedAt: 'real' },
    primaryKey: ['number'],
  })
}

function insertion(dialect: 'sqlite' | 'postgres', number: number, name: string, appliedAt: number): CompiledQuery {
  const blanks = dialect === 'sqlite' ? '?, ?, ?' : '$1, $2, $3'
  return CompiledQuery.raw(`insert into "migrations" ("number", "name", "appliedAt") values (${blanks})`, [
    number,
    name,
    appliedAt,
  ])
}
