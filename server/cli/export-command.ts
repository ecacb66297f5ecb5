import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { isPostgresUrl, readSettings, type Settings } from '#config.ts'
import { commandLine } from '#lib/process.ts'
import { recordAudit } from '#people/audit.ts'
import { findUser } from '#people/user-queries.ts'
import type { User } from '#people/users.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import { backUpSqlite, createAtomically } from '#storage/copy.ts'
import { filesLocation, openFiles } from '#storage/open-files.ts'
import type { Db, Storage } from '#storage/storage.ts'
import { type ExportScope, exportScopes } from '#transfer/data-exports.ts'
import {
  ARCHIVED_FOLDER,
  type ExportedOrganization,
  exportOrganization,
  packExport,
} from '#transfer/export-organization.ts'
import { exportPerson } from '#transfer/personal-data.ts'
import {
  CliError,
  openDatabase,
  requireAccount,
  requireDatabase,
  requireOrganization,
  settingsFor,
} from './cli-context.ts'
import { formatCount, openProgress, print, toTable } from './output.ts'

const NOT_IN_IT =
  'passwords, API keys, invitations, emails, drafts, scheduled messages, snippets, playgrounds, presence, bot storage'

export function addExportCommand(organizations: Command): void {
  organizations
    .command('export <path>')
    .description('write an organization to a folder, or to an archive that ends in .tar.gz; the server may be running')
    .option('--org <subdomain>', 'subdomain of the organization; the root organization if omitted', '')
    .addOption(
      new Option(
        '--scope <scope>',
        'everything: all data; public: public channels only; consented: also the private data of users who allow it',
      )
        .choices(exportScopes)
        .default('everything'),
    )
    .option('--json', 'print JSON', false)
    .action(runExport)
}

type ExportOptions = { org: string; json: boolean; scope: ExportScope }

async function runExport(given: string, { org, json, scope }: ExportOptions): Promise<void> {
  const settings = await settingsFor(readSettings(), org)
  const path = resolve(given)
  requireDatabase(settings)
  const { realm, counts, missingFiles } = await createAtomically(path, 'an export', async (unfinished) => {
    const folder = join(unfinished, ARCHIVED_FOLDER)
    await mkdir(folder, { mode: 0o700 })
    const result = await exportTo(folder, settings, { org, scope }, unfinished)
    return { path: isArchive(path) ? await packExport(unfinished) : folder, result }
  })
  await using storage = await openDatabase(settings, { serve: false })
  await storage.transaction((tx) => recordAudit(tx, realm.id, 'export_started', { scope }))
  const { url } = realmAddress(realm.subdomain, settings.EXTERNAL_URL)
  if (json) {
    const summary = { organization: realm.name, url, path, exported: counts, missing_files: missingFiles }
    process.stdout.write(`${JSON.stringify(summary)}\n`)
    return
  }
  const rows = Object.entries(counts).map(([what, count]) => ({ exported: what, count: formatCount(count) }))
  const missing =
    missingFiles === 0 ? '' : `${formatCount(missingFiles)} uploaded files are missing, and therefore not included.\n`
  process.stdout.write(
    `Exported ${realm.name} to ${path}.\n\n${toTable(rows)}\n\n${missing}` +
      `Not included: ${NOT_IN_IT}.\n` +
      `${scope === 'public' ? '' : 'It contains private messages: protect it like the database. '}Import it with \`${commandLine('org import')}\`.\n`,
  )
}

const isArchive = (path: string) => /\.(tar\.gz|tgz)$/.test(path)

/** Writes the own data of a user, whom the operator names by address or by id. */
export async function exportOfPerson(
  given: string,
  to: string,
  { org, json }: { org: string; json: boolean },
): Promise<void> {
  const settings = await settingsFor(readSettings(), org)
  const path = resolve(to)
  requireDatabase(settings)
  const { user, counts } = await createAtomically(path, 'an export', async (unfinished) => {
    const folder = join(unfinished, ARCHIVED_FOLDER)
    await mkdir(folder, { mode: 0o700 })
    await using storage = await openStill(settings, unfinished)
    const realm = await requireOrganization({ storage }, org)
    const user = await requireAccountOrId(storage.db, realm, given)
    using progress = openProgress()
    const counts = await exportPerson({
      transaction: storage.transaction,
      files: await openFiles(settings),
      findRealm: async () => realm,
      userId: user.id,
      folder,
      onProgress: (what, done) => progress.report(what, done, done),
    })
    return { path: isArchive(path) ? await packExport(unfinished) : folder, result: { user, counts } }
  })
  await using storage = await openDatabase(settings, { serve: false })
  await storage.transaction((tx) => recordAudit(tx, user.realmId, 'own_data_requested', { targetId: user.id }))
  print({ user_id: user.id, path, ...counts }, json)
}

async function requireAccountOrId(db: Db, realm: Realm, given: string): Promise<User> {
  if (!/^\d{1,15}$/.test(given)) return requireAccount({ storage: { db } }, realm, given)
  const user = await findUser(db, Number(given))
  if (user?.realmId !== realm.id) throw new CliError(`There is no account with the id ${given} in ${realm.name}.`)
  return user
}

/**
 * Opens a consistent snapshot of the database. Copies a SQLite file to `folder` first, because a server may be using
 * it.
 */
async function openStill(settings: Settings, folder: string): Promise<Storage> {
  const { DATABASE_URL } = settings
  if (isPostgresUrl(DATABASE_URL)) return openDatabase(settings, { serve: false })
  const copy = join(folder, 'parley.db')
  await backUpSqlite(DATABASE_URL, copy)
  return openDatabase({ ...settings, DATABASE_URL: copy }, { serve: true })
}

async function exportTo(
  folder: string,
  settings: Settings,
  { org, scope }: Pick<ExportOptions, 'org' | 'scope'>,
  unfinished: string,
): Promise<ExportedOrganization> {
  await using storage = await openStill(settings, unfinished)
  using progress = openProgress()
  const exported = await exportOrganization({
    transaction: storage.transaction,
    files: await openFiles(settings),
    findRealm: (db) => requireOrganization({ storage: { db } }, org),
    scope,
    folder,
    onProgress: progress.report,
  })
  if (exported.missingFiles > 0 && exported.counts['files'] === 0)
    throw new CliError(`None of the uploaded files is in ${filesLocation(settings)}. Is it the right folder?`)
  return exported
}
