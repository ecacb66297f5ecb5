import type { Command } from 'commander'
import { checkDirectory, isDirectoryProblem } from '#identity/ldap.ts'
import { findDirectories } from '#identity/providers.ts'
import { openLog } from '#lib/log.ts'
import { findRealms } from '#realms/queries.ts'
import { SYSTEM_SUBDOMAIN } from '#realms/realm.ts'
import { openFiles } from '#storage/open-files.ts'
import { syncDirectory } from '#workflows/sync-directory.ts'
import { CliError, openCliContext, requireOrganization } from './cli-context.ts'
import { jsonOption, print } from './output.ts'

export function addLdapCommands(program: Command): void {
  const ldap = program.command('ldap').description('check LDAP directories, and update accounts from them')
  ldap
    .command('test [name]')
    .description(
      'check each server of each directory; with a user name or address, show the entry of that person as well',
    )
    .addOption(jsonOption())
    .action(test)
  ldap
    .command('sync')
    .description('update connected accounts from the directories, and deactivate those whose entry is gone or disabled')
    .option('--org <subdomain>', 'subdomain of the organization; all organizations if omitted')
    .option('--dry-run', 'only print what would change', false)
    .option('--force', 'deactivate accounts even if they are suspiciously many', false)
    .addOption(jsonOption())
    .action(sync)
}

const NONE = 'There is no directory: add one to the file that SIGN_IN_FILE names.'

async function test(name: string | undefined, { json }: { json: boolean }): Promise<void> {
  await using context = await openCliContext()
  const directories = context.settings.SIGN_IN_FILE.ldap
  if (directories.length === 0) throw new CliError(NONE)
  const rows: { directory: string; server: string; step: string; ok: boolean; detail: string }[] = []
  for (const directory of directories)
    for (const server of directory.urls)
      for (const check of await checkDirectory(directory, server, name ?? null))
        rows.push({ directory: directory.id, server, ...check })
  print(rows, json)
  const failed = rows.find(({ ok }) => !ok)
  if (failed !== undefined) throw new CliError(`${failed.directory}: ${failed.step} failed: ${failed.detail}`)
}

type SyncOptions = { org?: string; dryRun: boolean; force: boolean; json: boolean }

async function sync({ org, dryRun: isDryRun, force: isForced, json }: SyncOptions): Promise<void> {
  await using context = await openCliContext()
  const { storage, settings, secret } = context
  if (settings.SIGN_IN_FILE.ldap.length === 0) throw new CliError(NONE)
  const realms = org === undefined ? await findRealms(storage.db) : [await requireOrganization(context, org)]
  const files = await openFiles(settings)
  const log = openLog(settings.LOG_LEVEL)
  const services = { db: storage.db, transaction: storage.transaction, log, settings, secret, files }
  const rows = []
  const failures: string[] = []
  for (const realm of realms) {
    if (realm.deactivatedAt !== null || realm.subdomain === SYSTEM_SUBDOMAIN) continue
    for (const directory of findDirectories(storage.db, realm)) {
      const report = await syncDirectory(services, realm, directory, { isDryRun, isForced })
      if (isDirectoryProblem(report)) failures.push(`${directory.id} could not be read: ${report.detail}`)
      else rows.push({ directory: directory.id, organization: realm.name, ...report })
      if (!isDirectoryProblem(report) && report.refused > 0)
        failures.push(
          `${report.refused} of ${report.connected} accounts of ${realm.name} have no entry in ${directory.id}. If that is right, run it with --force.`,
        )
    }
  }
  print(rows, json)
  if (failures.length > 0) throw new CliError(failures.join('\n'))
}
