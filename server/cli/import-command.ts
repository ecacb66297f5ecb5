import type { Command } from 'commander'
import { readSettings } from '../config.ts'
import { updateSearchIndex } from '../messages/search/update-search-index.ts'
import { realmAddress } from '../organizations/realms/realm.ts'
import { isWebAddress } from '../people/profiles/web-address.ts'
import { openFileStore } from '../platform/storage/files/open-file-store.ts'
import { importOrganization } from '../transfer/importing/import-organization.ts'
import { openExport } from '../transfer/importing/unpack.ts'
import { CliError, openDatabase } from './cli-context.ts'
import { toTable } from './output.ts'
import { formatCount, openProgress } from './progress.ts'

export function addImportCommand(organizations: Command): void {
  organizations
    .command('import <path>')
    .description('make an organization of what Zulip, or one of its converters, exported, while no server runs')
    .option('--subdomain <subdomain>', 'where it is to live; the root if that is free, else where it lived')
    .option('--old-url <url>', 'the address that it had: links to it will lead to where it is to live')
    .option('--owner-email <address>', 'whose account is to own it, where the export names nobody')
    .option('--json', 'print JSON', false)
    .action(runImport)
}

type ImportOptions = { subdomain?: string; oldUrl?: string; ownerEmail?: string; json: boolean }

async function runImport(path: string, { subdomain, oldUrl, ownerEmail, json }: ImportOptions): Promise<void> {
  if (oldUrl !== undefined && !isWebAddress(oldUrl)) throw new CliError(`${oldUrl} is no address of the web.`)
  const settings = readSettings()
  if (settings.DATABASE_URL === 'memory')
    throw new CliError('A database in memory would end with this command. DATABASE_URL names another one.')
  await using storage = await openDatabase(settings, { serve: true })
  await using opened = await openExport(path)
  using progress = openProgress()
  const { realm, came, losses } = await importOrganization({
    storage,
    files: openFileStore(settings.DATA_DIR),
    folder: opened.folder,
    subdomain,
    ownerEmail,
    oldUrl: oldUrl && new URL(oldUrl).origin,
    onProgress: progress.report,
  })
  await updateSearchIndex(storage, (done, all) => progress.report('Words of messages', done, all))
  const { url } = realmAddress(realm.subdomain, settings.EXTERNAL_URL)
  if (json) {
    process.stdout.write(`${JSON.stringify({ organization: realm.name, url, came, did_not_come: losses })}\n`)
    return
  }
  const rows = Object.entries(came).map(([what, count]) => ({ 'what came': what, count: formatCount(count) }))
  const lost = losses.map(({ what, count, why }) => ({ 'what did not': what, count: formatCount(count), why }))
  const tables = [toTable(rows), ...(lost.length === 0 ? [] : [toTable(lost)])]
  process.stdout.write(`${realm.name} is at ${url}.\n\n${tables.join('\n\n')}\n`)
}
