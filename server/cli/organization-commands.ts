import type { Command } from 'commander'
import { readSettings, type Settings } from '#config.ts'
import { changeRealmSettings } from '#organizations/change-realm-settings.ts'
import {
  createOrganizationWithOwner,
  renameInDirectory,
  renameOrganization,
} from '#organizations/create-organization.ts'
import { issueApiKey } from '#people/api-keys.ts'
import { isEmailAddress } from '#people/email-addresses.ts'
import { deleteScimToken, saveScimToken } from '#people/scim-tokens.ts'
import { requireFullName } from '#people/users.ts'
import { findPlace } from '#realms/places.ts'
import { findRealms } from '#realms/queries.ts'
import { isSubdomain, realmAddress } from '#realms/realm.ts'
import { unsupportedSettings } from '#realms/realm-settings.ts'
import type { Storage } from '#storage/storage.ts'
import {
  CliError,
  hashGiven,
  type NumberedDatabase,
  openCliContext,
  openDatabase,
  openDatabases,
  passwordOf,
  requireFirstDatabase,
  requireOrganization,
  UsageError,
} from './cli-context.ts'
import { addExportCommand } from './export-command.ts'
import { addImportCommand } from './import-command.ts'
import { addMoveCommand } from './move-command.ts'
import { print, toIsoTime } from './output.ts'

type Options = { org: string; json: boolean }

/** Adds the commands that deactivate, reactivate and rename an organization, and change its settings. */
function addChangeOrganizationCommands(organizations: Command): void {
  const add = (command: string, description: string) =>
    organizations
      .command(command)
      .description(description)
      .option('--org <subdomain>', 'subdomain of the organization; the root organization if omitted', '')
      .option('--json', 'print JSON', false)

  add('deactivate', 'log everyone out of an organization and keep its data').action((options: Options) =>
    change(options, { deactivated: true }),
  )
  add('reactivate', 'let users of a deactivated organization log in again').action((options: Options) =>
    change(options, { deactivated: false }),
  )
  add('rename <subdomain>', 'give an organization another address; "" makes it the root organization').action(rename)
  add('settings', 'list the settings of an organization by API name').action(async ({ org, json }: Options) => {
    await using context = await openCliContext({ org })
    const { settings } = await requireOrganization(context, org)
    const shown = Object.entries(settings).filter(([name]) => !(unsupportedSettings as ReadonlySet<string>).has(name))
    if (json) process.stdout.write(`${JSON.stringify(Object.fromEntries(shown))}\n`)
    else
      print(
        Object.fromEntries(shown.map(([name, value]) => [name, isObject(value) ? JSON.stringify(value) : value])),
        false,
      )
  })
  add('set <name> <value>', 'change a setting by its API name, such as license_limit or max_invites').action(
    (name: string, value: string, options: Options) => {
      if ((unsupportedSettings as ReadonlySet<string>).has(name))
        throw new CliError(`The setting ${name} has no effect on this server, so it cannot be changed.`)
      return change(options, { [name]: readValue(value) })
    },
  )
  add('scim-token', 'make the token with which a directory manages accounts by SCIM, and print it')
    .option('--delete', 'delete the token instead')
    .action(changeScimToken)
}

async function changeScimToken({ org, json, delete: isDeletion }: Options & { delete?: true }): Promise<void> {
  await using context = await openCliContext({ org })
  const { storage, settings } = context
  const realm = await requireOrganization(context, org)
  if (isDeletion) {
    if (!(await storage.transaction((tx) => deleteScimToken(tx, realm.id))))
      throw new CliError(`${realm.name} has no SCIM token.`)
    print({ organization: realm.name, deleted: true }, json)
    return
  }
  const token = await storage.transaction((tx) => saveScimToken(tx, realm.id, null))
  const url = `${realmAddress(realm.subdomain, settings.EXTERNAL_URL).url}/scim/v2`
  print({ organization: realm.name, url, token }, json)
}

async function change({ org, json }: Options, changes: Readonly<Record<string, unknown>>): Promise<void> {
  await using context = await openCliContext({ org })
  const realm = await requireOrganization(context, org)
  await context.storage.transaction((tx) => changeRealmSettings(tx, realm, changes))
  const shown = Object.entries(changes).map(([name, value]) => [name, isObject(value) ? '–' : String(value)])
  print({ organization: realm.name, ...Object.fromEntries(shown) }, json)
}

async function rename(subdomain: string, { org, json }: Options): Promise<void> {
  await using context = await openCliContext({ org })
  const realm = await requireOrganization(context, org)
  const renameIt = () => context.storage.transaction((tx) => renameOrganization(tx, realm, subdomain))
  if (context.settings.DATABASE_URLS === readSettings().DATABASE_URLS) {
    await requireFirstDatabase(context.storage)
    await renameIt()
  } else {
    await using first = await openDatabase(readSettings(), { serve: false })
    await renameInDirectory(first, { from: org, to: subdomain }, renameIt)
  }
  const { EXTERNAL_URL, REALM_HOSTS } = context.settings
  const hosts = Object.keys(REALM_HOSTS).filter((host) => REALM_HOSTS[host] === org)
  print(
    {
      organization: realm.name,
      url: realmAddress(subdomain, EXTERNAL_URL).url,
      redirects_from: realmAddress(org, EXTERNAL_URL).url,
      ...(hosts.length > 0 && { change_in_realm_hosts: hosts.join(', ') }),
    },
    json,
  )
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null

/** Parses JSON. Returns text that is not JSON unchanged. */
function readValue(text: string): unknown {
  if (text === '') throw new UsageError('The value is empty. Write "" for empty text.')
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

type CreateOptions = {
  name: string
  subdomain: string
  ownerEmail: string
  ownerName: string
  ownerPassword?: string
  json: boolean
}

export function addOrganizationCommands(program: Command): void {
  const org = program.command('org').description('manage organizations')

  org
    .command('create')
    .description('create an organization and its owner, and print the owner’s login details')
    .requiredOption('--name <name>', 'name of the organization')
    .option('--subdomain <subdomain>', 'subdomain of the organization; the root organization if omitted', '')
    .requiredOption('--owner-email <address>', 'email address of its owner')
    .requiredOption('--owner-name <name>', 'full name of its owner')
    .option(
      '--owner-password <password>',
      'password of its owner; if omitted, a link is printed with which the owner chooses one',
    )
    .option('--json', 'print JSON', false)
    .action(createOrganization)

  org
    .command('list')
    .description('list all organizations')
    .option('--json', 'print JSON', false)
    .action(async ({ json }: { json: boolean }) => {
      await using context = await openCliContext()
      const { settings, storage } = context
      await using opened = new AsyncDisposableStack()
      const rows =
        settings.DATABASE_URLS === ''
          ? await listOrganizations(storage, settings)
          : await listInAll(await openDatabases(settings, opened))
      print(rows, json)
    })

  addChangeOrganizationCommands(org)
  addMoveCommand(org)
  addExportCommand(org)
  addImportCommand(org)
}

/** Lists the organizations of all databases, each one where the directory leads: a move has rows of it in both. */
async function listInAll(databases: readonly NumberedDatabase[]) {
  const rows = []
  for (const { number, name, storage, settings } of databases)
    for (const row of await listOrganizations(storage, settings)) {
      const place = await findPlace(databases[0]!.storage.db, row.subdomain)
      if ((place?.database ?? 0) === number) rows.push({ ...row, database: `${number} (${name})` })
    }
  return rows
}

async function listOrganizations({ db }: Storage, { EXTERNAL_URL }: Settings) {
  const realms = (await findRealms(db)).filter(({ subdomain }) => subdomain === '' || isSubdomain(subdomain))
  return realms.map((realm) => ({
    id: realm.id,
    subdomain: realm.subdomain,
    name: realm.name,
    url: realmAddress(realm.subdomain, EXTERNAL_URL).url,
    created: toIsoTime(realm.createdAt),
    active: realm.deactivatedAt === null,
  }))
}

async function createOrganization(options: CreateOptions): Promise<void> {
  const { ownerEmail: email, subdomain, json } = options
  const name = options.name.trim()
  if (name === '') throw new UsageError('The organization needs a name.')
  if (!isEmailAddress(email)) throw new UsageError(`${email} is not an email address.`)
  const fullName = requireFullName(options.ownerName)
  await using context = await openCliContext({ mayCreate: true })
  await requireFirstDatabase(context.storage)
  const passwordHash = await hashGiven(context, options.ownerPassword, { email, organization: name })

  const founded = await context.storage.transaction(async (tx) => {
    const { realm, owner } = await createOrganizationWithOwner(tx, {
      subdomain,
      name,
      owner: { email, fullName, passwordHash },
    })
    return { realm, owner, apiKey: await issueApiKey(tx, owner.id, 'parley') }
  })

  print(
    {
      organization: founded.realm.name,
      url: realmAddress(subdomain, context.settings.EXTERNAL_URL).url,
      owner: email,
      user_id: founded.owner.id,
      ...(await passwordOf(context, founded.realm, founded.owner, passwordHash)),
      api_key: founded.apiKey,
    },
    json,
  )
}
