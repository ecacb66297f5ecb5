import { CompiledQuery } from 'kysely'
import { CannotOpenStorage, type Engine, type RunStatement } from './engine.ts'
import { createAllTables } from './migrations/0001-create-all-tables.ts'
import { createEventQueues } from './migrations/0002-create-event-queues.ts'
import { searchMessages } from './migrations/0003-search-messages.ts'
import { createPersonalTables } from './migrations/0004-create-personal-tables.ts'
import { scheduleMessages } from './migrations/0005-schedule-messages.ts'
import { noteAddressChanges } from './migrations/0006-note-address-changes.ts'
import { createProfileTables } from './migrations/0007-create-profile-tables.ts'
import { keepPushTokens } from './migrations/0008-keep-push-tokens.ts'
import { createPlaygrounds } from './migrations/0009-create-playgrounds.ts'
import { keepDefaultUserSettings } from './migrations/0010-keep-default-user-settings.ts'
import { createAttachments } from './migrations/0011-create-attachments.ts'
import { addStillEmoji } from './migrations/0012-add-still-emoji.ts'
import { inviteByLink } from './migrations/0013-invite-by-link.ts'
import { openSessions } from './migrations/0014-open-sessions.ts'
import { keepMailAttempts } from './migrations/0015-keep-mail-attempts.ts'
import { setUpByLink } from './migrations/0016-set-up-by-link.ts'
import { keepMailRefusals } from './migrations/0017-keep-mail-refusals.ts'
import { nameInvitationsInKeys } from './migrations/0018-name-invitations-in-keys.ts'
import { holdMailIndexesStill } from './migrations/0019-hold-mail-indexes-still.ts'
import { takeWordsInLater } from './migrations/0020-take-words-in-later.ts'
import { indexMessagesWhereTheyAre } from './migrations/0021-index-messages-where-they-are.ts'
import { deleteMessagesInTime } from './migrations/0022-delete-messages-in-time.ts'
import { callWebhooks } from './migrations/0023-call-webhooks.ts'
import { noteMissedMessages } from './migrations/0024-note-missed-messages.ts'
import { holdRecordsUnchecked } from './migrations/0025-hold-records-unchecked.ts'
import { pushNotices } from './migrations/0026-push-notices.ts'
import { requestEmailChanges } from './migrations/0027-request-email-changes.ts'
import { lowerBots } from './migrations/0028-lower-bots.ts'
import { indexDueNotices } from './migrations/0029-index-due-notices.ts'
import { knowPlaces } from './migrations/0030-know-places.ts'
import { countInvitationsOfPeople } from './migrations/0031-count-invitations-of-people.ts'
import { estimateMarkedRecords } from './migrations/0032-estimate-marked-records.ts'
import { estimateRealms } from './migrations/0033-estimate-realms.ts'
import { timeRenames } from './migrations/0034-time-renames.ts'
import { recognizeRepeatedMessages } from './migrations/0035-recognize-repeated-messages.ts'
import { indexMessagesAgain } from './migrations/0036-index-messages-again.ts'
import { endStatuses } from './migrations/0037-end-statuses.ts'
import { keepRealmPictures } from './migrations/0038-keep-realm-pictures.ts'
import { countMessagesByDay } from './migrations/0039-count-messages-by-day.ts'
import { nameBrowsersOfSessions } from './migrations/0040-name-browsers-of-sessions.ts'
import { requestLinkPreviews } from './migrations/0041-request-link-previews.ts'
import { redirectRenamedRealms } from './migrations/0042-redirect-renamed-realms.ts'
import { keepDataExports } from './migrations/0043-keep-data-exports.ts'
import { sendDigests } from './migrations/0044-send-digests.ts'
import { indexCanceledMails } from './migrations/0045-index-canceled-mails.ts'
import { markKeysOfLogins } from './migrations/0046-mark-keys-of-logins.ts'
import { type Migrator, migratorOver } from './schema.ts'

type Migration = { name: string; apply: (migrator: Migrator) => Promise<void> }

/**
 * The migrations in order: the number of a migration is its position, counted from 1. Never change a released one, as
 * released.test.ts checks.
 */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001-create-all-tables', apply: createAllTables },
  { name: '0002-create-event-queues', apply: createEventQueues },
  { name: '0003-search-messages', apply: searchMessages },
  { name: '0004-create-personal-tables', apply: createPersonalTables },
  { name: '0005-schedule-messages', apply: scheduleMessages },
  { name: '0006-note-address-changes', apply: noteAddressChanges },
  { name: '0007-create-profile-tables', apply: createProfileTables },
  { name: '0008-keep-push-tokens', apply: keepPushTokens },
  { name: '0009-create-playgrounds', apply: createPlaygrounds },
  { name: '0010-keep-default-user-settings', apply: keepDefaultUserSettings },
  { name: '0011-create-attachments', apply: createAttachments },
  { name: '0012-add-still-emoji', apply: addStillEmoji },
  { name: '0013-invite-by-link', apply: inviteByLink },
  { name: '0014-open-sessions', apply: openSessions },
  { name: '0015-keep-mail-attempts', apply: keepMailAttempts },
  { name: '0016-set-up-by-link', apply: setUpByLink },
  { name: '0017-keep-mail-refusals', apply: keepMailRefusals },
  { name: '0018-name-invitations-in-keys', apply: nameInvitationsInKeys },
  { name: '0019-hold-mail-indexes-still', apply: holdMailIndexesStill },
  { name: '0020-take-words-in-later', apply: takeWordsInLater },
  { name: '0021-index-messages-where-they-are', apply: indexMessagesWhereTheyAre },
  { name: '0022-delete-messages-in-time', apply: deleteMessagesInTime },
  { name: '0023-call-webhooks', apply: callWebhooks },
  { name: '0024-note-missed-messages', apply: noteMissedMessages },
  { name: '0025-hold-records-unchecked', apply: holdRecordsUnchecked },
  { name: '0026-push-notices', apply: pushNotices },
  { name: '0027-request-email-changes', apply: requestEmailChanges },
  { name: '0028-lower-bots', apply: lowerBots },
  { name: '0029-index-due-notices', apply: indexDueNotices },
  { name: '0030-know-places', apply: knowPlaces },
  { name: '0031-count-invitations-of-people', apply: countInvitationsOfPeople },
  { name: '0032-estimate-marked-records', apply: estimateMarkedRecords },
  { name: '0033-estimate-realms', apply: estimateRealms },
  { name: '0034-time-renames', apply: timeRenames },
  { name: '0035-recognize-repeated-messages', apply: recognizeRepeatedMessages },
  { name: '0036-index-messages-again', apply: indexMessagesAgain },
  { name: '0037-end-statuses', apply: endStatuses },
  { name: '0038-keep-realm-pictures', apply: keepRealmPictures },
  { name: '0039-count-messages-by-day', apply: countMessagesByDay },
  { name: '0040-name-browsers-of-sessions', apply: nameBrowsersOfSessions },
  { name: '0041-request-link-previews', apply: requestLinkPreviews },
  { name: '0042-redirect-renamed-realms', apply: redirectRenamedRealms },
  { name: '0043-keep-data-exports', apply: keepDataExports },
  { name: '0044-send-digests', apply: sendDigests },
  { name: '0045-index-canceled-mails', apply: indexCanceledMails },
  { name: '0046-mark-keys-of-logins', apply: markKeysOfLogins },
]

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

/** Refuses a database that a newer version of the program has migrated. */
export function requireKnownVersion(version: number): void {
  if (version <= MIGRATIONS.length) return
  throw new CannotOpenStorage(
    `The database is newer than this program: it has migration ${version}, and ${MIGRATIONS.length} is the last known. ` +
      'It was left as it is. Run the newer program, or restore a backup made before the upgrade.',
  )
}

/** Refuses a database that has to be migrated while nodes of an older version serve it. */
export function requireNoMigration(version: number): void {
  if (!needsMigration(version)) return
  throw new CannotOpenStorage(
    `Other nodes serve the database with migration ${version}, and this program needs ${MIGRATIONS.length}. ` +
      'Stop all nodes, then start the new version: the first to start migrates the database.',
  )
}

export function needsMigration(version: number): boolean {
  return version < MIGRATIONS.length
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
    const migration = MIGRATIONS[version]
    if (migration !== undefined) {
      const migrator = migratorOver(engine.dialect, open.run)
      if (version === 0) await createMigrationsTable(migrator)
      await migration.apply(migrator)
      await open.run(insertion(engine.dialect, version + 1, migration.name, appliedAt))
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
