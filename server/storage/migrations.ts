import { CompiledQuery } from 'kysely'
import { OperatorError } from '#lib/errors.ts'
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
import { recordOldestPrograms } from './migrations/0067-record-oldest-programs.ts'
import { countRecipientChanges } from './migrations/0068-count-recipient-changes.ts'
import { shareAudiences } from './migrations/0069-share-audiences.ts'
import { createNodes } from './migrations/0070-create-nodes.ts'
import { spreadOrganizations } from './migrations/0071-spread-organizations.ts'
import { type Migrator, migratorOver } from './schema.ts'
import { CannotOpenStorage, type Dialect } from './storage.ts'
import type { Engine, RunStatement } from './transactions/engine.ts'

// The migrations of the database. Each is applied once, in its own transaction. A released migration never changes.
//
// Nodes are replaced one by one while they serve, so each migration says which programs can use the database afterwards.
// A program is known by the number of its last migration. A database of a newer program is used as long as its
// migrations allow it, and refused otherwise (docs/architecture/nodes.md, "Two versions at once").

export type Migration = {
  name: string
  apply: (migrator: Migrator) => Promise<void>
  /**
   * The number of the oldest program that can use the database afterwards. Without it, the migration only adds what
   * older programs do not notice; `released.test.ts` checks that its statements do.
   */
  oldestProgram?: number
}

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
  { name: '0067-record-oldest-programs', apply: recordOldestPrograms, oldestProgram: 67 },
  // Older programs do not count their changes.
  { name: '0068-count-recipient-changes', apply: countRecipientChanges, oldestProgram: 68 },
  // Older programs deliver events with shared audiences to nobody.
  { name: '0069-share-audiences', apply: shareAudiences, oldestProgram: 69 },
  { name: '0070-create-nodes', apply: createNodes },
  { name: '0071-spread-organizations', apply: spreadOrganizations },
]

/** The first migration that records which programs can use the database. No older program can use a newer database. */
const FIRST_RECORDED = 67

/** The number of the last migration of this program, by which other nodes know it. */
export const NEWEST = LAST_UNRELEASED + MIGRATIONS.length

/** The state of a database: the number of its last migration, 0 if it is empty, and of the oldest program that can use it. */
export type SchemaVersion = { last: number; oldestProgram: number }

/** Reads the state of a database. */
export async function findSchemaVersion(run: RunStatement, dialect: Dialect): Promise<SchemaVersion> {
  const exists =
    dialect === 'sqlite'
      ? `select 1 as found from sqlite_schema where name = 'migrations'`
      : `select 1 as found where to_regclass('migrations') is not null`
  if ((await run(CompiledQuery.raw(exists))).rows.length === 0) return { last: 0, oldestProgram: 0 }
  const { rows } = await run(CompiledQuery.raw('select max("number") as "last" from "migrations"'))
  const last = (rows as { last: number | null }[])[0]?.last ?? 0
  if (last < FIRST_RECORDED) return { last, oldestProgram: last }
  const oldest = await run(CompiledQuery.raw('select max("oldestProgram") as "oldestProgram" from "migrations"'))
  return { last, ...(oldest.rows[0] as { oldestProgram: number }) }
}

/** Refuses a database that this program cannot use, because it is too new, or too old to be migrated. */
export function requireKnownVersion({ last, oldestProgram }: SchemaVersion): void {
  if (oldestProgram > NEWEST)
    throw new CannotOpenStorage(
      `The database is newer than this program: it has migration ${last}, and ${NEWEST} is the last known. ` +
        'It was left as it is. Run the newer program, or restore a backup made before the upgrade.',
      { isTemporary: false },
    )
  if (last > 0 && last < LAST_UNRELEASED)
    throw new CannotOpenStorage(
      `The database is of a version before 0.1.0: it has migration ${last}, and ${LAST_UNRELEASED} is the first that ` +
        'can be migrated. It was left as it is. Start the last version before 0.1.0 once, then this one.',
      { isTemporary: false },
    )
}

/**
 * Refuses a database with tables that this program does not know. Whatever copies all tables calls it, because a copy
 * without them would be incomplete.
 */
export async function requireOwnVersion(run: RunStatement, dialect: Dialect): Promise<void> {
  const { last } = await findSchemaVersion(run, dialect)
  if (last > NEWEST)
    throw new OperatorError(
      `A newer program has migrated the database to ${last}, and this one, with ${NEWEST}, does not know all of its ` +
        'tables, so that a copy would be incomplete. Run this command with the newer program.',
    )
}

/**
 * Refuses a migration that other nodes cannot bear. `serving` has the number of the program of each node; null for a
 * program that does not name it.
 */
function requireBearable(from: number, serving: readonly (number | null)[]): void {
  const needed = Math.max(...MIGRATIONS.slice(Math.max(from - LAST_UNRELEASED, 0)).map(oldestProgramAfter))
  const oldest = serving.reduce<number>((least, program) => Math.min(least, program ?? 0), NEWEST)
  if (oldest >= needed) return
  const isBetween = needed < NEWEST && oldest > 0
  throw new CannotOpenStorage(
    `Other nodes serve the database with a program whose last migration is ${oldest || 'unknown'}, and this program needs ` +
      `${NEWEST}, which only programs from ${needed} on can use. ` +
      (isBetween
        ? `Replace all nodes by a version with migration ${needed} first, then by this one. Or stop all nodes`
        : 'Stop all nodes') +
      ', then start the new version: the first to start migrates the database.',
  )
}

/** Returns the number of the oldest program that can use the database after the migration; 0 if every older program can. */
const oldestProgramAfter = ({ oldestProgram, name }: Migration): number => {
  const number = Number.parseInt(name, 10)
  return number < FIRST_RECORDED ? number : (oldestProgram ?? 0)
}

export function needsMigration({ last }: SchemaVersion): boolean {
  return last < NEWEST
}

type MigrateOptions = {
  appliedAt: number
  /**
   * For a database that nodes serve: lets no other process migrate it until the transaction ends, and returns the number
   * of the program of each node; null for a program that does not name it.
   */
  lockNodes?: (run: RunStatement) => Promise<readonly (number | null)[]>
}

/** Applies the missing migrations, each in its own transaction, and returns their names. */
export async function migrate(engine: Engine, options: MigrateOptions): Promise<string[]> {
  const applied: string[] = []
  for (;;) {
    const version = await findSchemaVersion(engine.read, engine.dialect)
    // A newer program may have migrated the database since the first check, while this process waited for the lock.
    requireKnownVersion(version)
    if (!needsMigration(version)) return applied
    const name = await applyNext(engine, options)
    if (name !== null) applied.push(name)
  }
}

async function applyNext(engine: Engine, { appliedAt, lockNodes }: MigrateOptions): Promise<string | null> {
  const open = await engine.begin()
  try {
    const programs = (await lockNodes?.(open.run)) ?? []
    const { last } = await findSchemaVersion(open.run, engine.dialect)
    requireBearable(last, programs)
    const number = Math.max(last, LAST_UNRELEASED) + 1
    const migration = MIGRATIONS[number - LAST_UNRELEASED - 1]
    if (migration !== undefined) {
      const migrator = migratorOver(engine.dialect, open.run)
      if (last === 0) await createMigrationsTable(migrator)
      if (last !== LAST_UNRELEASED) await migration.apply(migrator)
      await open.run(insertion(engine.dialect, { number, migration, appliedAt }))
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

type AppliedMigration = { number: number; migration: Migration; appliedAt: number }

function insertion(dialect: Dialect, { number, migration, appliedAt }: AppliedMigration): CompiledQuery {
  const values: Record<string, unknown> = { number, name: migration.name, appliedAt }
  if (number >= FIRST_RECORDED) values['oldestProgram'] = oldestProgramAfter(migration)
  const columns = Object.keys(values).map((name) => `"${name}"`)
  const blanks = columns.map((_, at) => (dialect === 'sqlite' ? '?' : `$${at + 1}`))
  const text = `insert into "migrations" (${columns.join(', ')}) values (${blanks.join(', ')})`
  return CompiledQuery.raw(text, Object.values(values))
}
