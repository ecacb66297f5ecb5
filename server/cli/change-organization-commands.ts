import type { Command } from 'commander'
import { changeRealmSettings } from '#organizations/change-realm-settings.ts'
import { renameOrganization } from '#organizations/rename-organization.ts'
import { realmAddress } from '#realms/realm.ts'
import { unsupportedSettings } from '#realms/settings.ts'
import { CliError, logCommand, openCliContext, requireOrganization } from './cli-context.ts'
import { print } from './output.ts'

type Options = { org: string; json: boolean }

/** Adds the commands that deactivate, reactivate and rename an organization, and change its settings. */
export function addChangeOrganizationCommands(organizations: Command): void {
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
  add('set <name> <value>', 'change a setting by its API name, such as license_limit or max_invites').action(
    (name: string, value: string, options: Options) => {
      if ((unsupportedSettings as ReadonlySet<string>).has(name))
        throw new CliError(`The setting ${name} has no effect on this server, so it cannot be changed.`)
      return change(options, { [name]: readValue(value) })
    },
  )
}

async function change({ org, json }: Options, changes: Readonly<Record<string, unknown>>): Promise<void> {
  await using context = await openCliContext()
  const realm = await requireOrganization(context, org)
  await context.storage.transaction((tx) => changeRealmSettings(tx, realm, changes))
  if (changes['deactivated'] === true) logCommand(context.settings, 'organization_deactivated', { realmId: realm.id })
  else
    logCommand(context.settings, 'organization_changed', {
      realmId: realm.id,
      details: { settings: Object.keys(changes) },
    })
  const shown = Object.entries(changes).map(([name, value]) => [name, isObject(value) ? '–' : String(value)])
  print({ organization: realm.name, ...Object.fromEntries(shown) }, json)
}

async function rename(subdomain: string, { org, json }: Options): Promise<void> {
  await using context = await openCliContext()
  const realm = await requireOrganization(context, org)
  await context.storage.transaction((tx) => renameOrganization(tx, realm, subdomain))
  logCommand(context.settings, 'organization_changed', { realmId: realm.id, details: { settings: ['subdomain'] } })
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
  if (text === '') throw new CliError('The value is empty. Write "" for empty text.')
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
