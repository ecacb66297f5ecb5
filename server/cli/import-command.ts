import type { Command } from 'commander'
import { readSettings } from '#config.ts'
import { updateSearchIndex } from '#messages/search-index.ts'
import { isWebAddress } from '#people/profile-fields.ts'
import { realmAddress } from '#realms/realm.ts'
import { openFiles } from '#storage/open-files.ts'
import { importOrganization, openExport } from '#transfer/import-organization.ts'
import { CliError, openDatabase, requireFirstDatabase, UsageError } from './cli-context.ts'
import { formatCount, openProgress, toTable } from './output.ts'

export function addImportCommand(organizations: Command): void {
  organizations
    .command('import <path>')
    .description('import an organization from an export of Parley, Zulip or its converters, while no server is running')
    .option(
      '--subdomain <subdomain>',
      'subdomain of the organization; if omitted, the root organization if there is none yet, otherwise the original subdomain',
    )
    .option('--old-url <url>', 'original address: links to it are changed to the new address')
    .option('--owner-email <address>', 'address of the account that becomes the owner, if the export has no owner')
    .option('--json', 'print JSON', false)
    .action(runImport)
}

type ImportOptions = { subdomain?: string; oldUrl?: string; ownerEmail?: string; json: boolean }

async function runImport(path: string, { subdomain, oldUrl, ownerEmail, json }: ImportOptions): Promise<void> {
  if (oldUrl !== undefined && !isWebAddress(oldUrl)) throw new UsageError(`${oldUrl} is not a web address.`)
  const settings = readSettings()
  if (settings.DATABASE_URL === 'memory')
    throw new CliError(
      'An in-memory database is lost when this command exits. Set DATABASE_URL to a file or a PostgreSQL URL.',
    )
  await using storage = await openDatabase(settings, { serve: true })
  await requireFirstDatabase(storage)
  await using opened = await openExport(path)
  using progress = openProgress()
  const { realm, imported, skipped } = await importOrganization({
    storage,
    files: await openFiles(settings),
    folder: opened.folder,
    subdomain,
    ownerEmail,
    oldUrl: oldUrl && new URL(oldUrl).origin,
    onProgress: progress.report,
  })
  await updateSearchIndex(storage, (done, all) => progress.report('Indexed messages', done, all))
  const { url } = realmAddress(realm.subdomain, settings.EXTERNAL_URL)
  if (json) {
    process.stdout.write(`${JSON.stringify({ organization: realm.name, url, imported, skipped })}\n`)
    return
  }
  const rows = Object.entries(imported).map(([what, count]) => ({ imported: what, count: formatCount(count) }))
  const skippedRows = skipped.map(({ what, count, why }) => ({ skipped: what, count: formatCount(count), why }))
  const tables = [toTable(rows), ...(skippedRows.length === 0 ? [] : [toTable(skippedRows)])]
  process.stdout.write(`Imported ${realm.name} to ${url}.\n\n${tables.join('\n\n')}\n`)
}
