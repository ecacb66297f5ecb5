import type { Command } from 'commander'
import { createOrganizationWithOwner } from '#organizations/create-organization-with-owner.ts'
import { isEmailAddress } from '#people/users/addresses/email-address.ts'
import { issueApiKey } from '#people/users/api-keys.ts'
import { requireFullName } from '#people/users/full-name.ts'
import { findRealms } from '#realms/queries.ts'
import { realmAddress, SYSTEM_SUBDOMAIN } from '#realms/realm.ts'
import { addChangeOrganizationCommands } from './change-organization-commands.ts'
import { CliError, hashGiven, logCommand, openCliContext, passwordOf } from './cli-context.ts'
import { addExportCommand } from './export-command.ts'
import { addImportCommand } from './import-command.ts'
import { print, toIsoTime } from './output.ts'

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
      const realms = (await findRealms(context.storage.db)).filter(({ subdomain }) => subdomain !== SYSTEM_SUBDOMAIN)
      const rows = realms.map((realm) => ({
        id: realm.id,
        subdomain: realm.subdomain,
        name: realm.name,
        url: realmAddress(realm.subdomain, context.settings.EXTERNAL_URL).url,
        created: toIsoTime(realm.createdAt),
        active: realm.deactivatedAt === null,
      }))
      print(rows, json)
    })

  addChangeOrganizationCommands(org)
  addExportCommand(org)
  addImportCommand(org)
}

async function createOrganization(options: CreateOptions): Promise<void> {
  const { ownerEmail: email, subdomain, json } = options
  const name = options.name.trim()
  if (name === '') throw new CliError('The organization needs a name.')
  if (!isEmailAddress(email)) throw new CliError(`${email} is not an email address.`)
  const fullName = requireFullName(options.ownerName)
  await using context = await openCliContext()
  const passwordHash = await hashGiven(context, options.ownerPassword, { email, organization: name })

  const founded = await context.storage.transaction(async (tx) => {
    const { realm, owner } = await createOrganizationWithOwner(tx, {
      subdomain,
      name,
      owner: { email, fullName, passwordHash },
    })
    return { realm, owner, apiKey: await issueApiKey(tx, owner.id, 'parley') }
  })
  logCommand(context.settings, 'organization_created', { realmId: founded.realm.id, targetId: founded.owner.id })

  print(
    {
      organization: founded.realm.name,
      url: realmAddress(subdomain, context.settings.EXTERNAL_URL).url,
      owner: email,
      user_id: founded.owner.id,
      ...passwordOf(context, founded.realm, founded.owner, passwordHash),
      api_key: founded.apiKey,
    },
    json,
  )
}
