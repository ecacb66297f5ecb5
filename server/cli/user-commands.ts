import { type Command, Option } from 'commander'
import { requestEmailChangeOf } from '#accounts/change-email.ts'
import { createUser, deactivateUser } from '#accounts/change-users.ts'
import { resetSecondFactors } from '#accounts/second-factor-changes.ts'
import { countMessagesOf } from '#messages/erase-messages.ts'
import { userDeactivated } from '#people/access.ts'
import { issueApiKey } from '#people/api-keys.ts'
import { recordAudit } from '#people/audit.ts'
import { isEmailAddress } from '#people/email-addresses.ts'
import { pseudonymOf } from '#people/erasures.ts'
import { findPeopleWithoutFactor } from '#people/second-factors.ts'
import { findRealmUsers } from '#people/user-queries.ts'
import { isBot } from '#people/users.ts'
import { lockRealm } from '#realms/queries.ts'
import { Role } from '#rules/role.ts'
import { sendWelcomeMessages } from '#workflows/accept-invitation.ts'
import { eraseUser } from '#workflows/erase-user.ts'
import { addAccountCommands } from './account-commands.ts'
import {
  CliError,
  hashGiven,
  openCliContext,
  passwordOf,
  requireAccount,
  requireOrganization,
  UsageError,
} from './cli-context.ts'
import { exportOfPerson } from './export-command.ts'
import { jsonOption, orgOption, print } from './output.ts'

type Place = { org: string; json: boolean }

const roleNames = Object.keys(Role) as (keyof typeof Role)[]

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('manage accounts of people and bots')

  user
    .command('create')
    .description('create an account, subscribed to the default channels, and print its API key')
    .requiredOption('--email <address>', 'email address of the account')
    .requiredOption('--name <name>', 'full name of the user')
    .addOption(new Option('--role <role>', 'role of the account').choices(roleNames).default('member'))
    .option(
      '--password <password>',
      'password of the account; if omitted, a link is printed with which the user chooses one',
    )
    .addOption(orgOption())
    .addOption(jsonOption())
    .action(createAccount)

  user
    .command('list')
    .description('list all accounts')
    .option('--without-second-factor', 'list only active people who have no second factor', false)
    .addOption(orgOption())
    .addOption(jsonOption())
    .action(listAccounts)

  addAccountCommands(user)

  user
    .command('deactivate <address>')
    .description('deactivate an account; its messages stay')
    .addOption(orgOption())
    .addOption(jsonOption())
    .action(deactivateAccount)

  user
    .command('change-email <address> <new-address>')
    .description('send a confirmation link to the new address, and a link to undo the change to the old one')
    .addOption(orgOption())
    .addOption(jsonOption())
    .action(changeAddress)

  user
    .command('erase <address>')
    .description(
      'turn an account into a pseudonym and delete the data of its user permanently; the server does the rest',
    )
    .option('--channel-messages', 'also delete the messages that the user sent to channels', false)
    .option('--direct-messages', 'also delete the direct messages that the user sent', false)
    .option('--files', 'also delete the files that the user uploaded', false)
    .option('--yes', 'erase; without it, the command only prints what would be erased', false)
    .addOption(orgOption())
    .addOption(jsonOption())
    .action(eraseAccount)

  user
    .command('reset-2fa <address>')
    .description('remove the authenticator app, passkeys and recovery codes of an account; its password stays')
    .addOption(orgOption())
    .addOption(jsonOption())
    .action(async (email: string, { org, json }: Place) => {
      await using context = await openCliContext({ org })
      const account = await requireAccount(context, await requireOrganization(context, org), email)
      const wasReset = await context.storage.transaction((tx) => resetSecondFactors(tx, account.id, null))
      if (!wasReset) throw new CliError(`${email} has no second factor.`)
      print({ email: account.deliveryEmail, second_factor: 'removed' }, json)
    })

  user
    .command('export <address-or-id> <path>')
    .description(
      "write a user's own data to a folder, or to an archive that ends in .tar.gz; the server may be running",
    )
    .addOption(orgOption())
    .addOption(jsonOption())
    .action(exportOfPerson)

  user
    .command('api-key <address>')
    .description('create another API key for an account, and print it')
    .addOption(orgOption())
    .addOption(jsonOption())
    .action(async (email: string, { org, json }: Place) => {
      await using context = await openCliContext({ org })
      const account = await requireAccount(context, await requireOrganization(context, org), email)
      const apiKey = await context.storage.transaction(async (tx) => {
        await recordAudit(tx, account.realmId, 'api_key_created', { targetId: account.id })
        return issueApiKey(tx, account.id, 'parley')
      })
      print({ email: account.deliveryEmail, api_key: apiKey }, json)
    })
}

async function changeAddress(email: string, newEmail: string, { org, json }: Place): Promise<void> {
  await using context = await openCliContext({ org })
  const realm = await requireOrganization(context, org)
  const account = await requireAccount(context, realm, email)
  if (isBot(account)) throw new CliError(`${email} is the address of a bot. Change it in the app as an administrator.`)
  await context.storage.transaction((tx) => requestEmailChangeOf(tx, realm, account, newEmail, null))
  print(
    { email: account.deliveryEmail, new_email: newEmail, state: 'waiting for confirmation from the new address' },
    json,
  )
}

type CreateOptions = Place & { email: string; name: string; role: keyof typeof Role; password?: string }

async function createAccount(options: CreateOptions): Promise<void> {
  const { email, org, json } = options
  if (!isEmailAddress(email)) throw new UsageError(`${email} is not an email address.`)
  await using context = await openCliContext({ org })
  const realm = await requireOrganization(context, org)
  const passwordHash = await hashGiven(context, options.password, { email, organization: realm.name })

  const made = await context.storage.transaction(async (tx) => {
    const person = { deliveryEmail: email, fullName: options.name, role: Role[options.role], passwordHash }
    const account = await createUser(tx, realm, person)
    await sendWelcomeMessages(tx, account, null)
    return { account, apiKey: await issueApiKey(tx, account.id, 'parley') }
  })

  print(
    {
      user_id: made.account.id,
      email,
      role: options.role,
      ...(await passwordOf(context, realm, made.account, passwordHash)),
      api_key: made.apiKey,
    },
    json,
  )
}

async function listAccounts({
  org,
  json,
  withoutSecondFactor,
}: Place & { withoutSecondFactor: boolean }): Promise<void> {
  await using context = await openCliContext({ org })
  const realm = await requireOrganization(context, org)
  const { db } = context.storage
  const users = withoutSecondFactor ? await findPeopleWithoutFactor(db, realm.id) : await findRealmUsers(db, realm.id)
  const roleOf = (number: number) => roleNames.find((name) => Role[name] === number) ?? ''
  const rows = users
    .toSorted((one, other) => one.id - other.id)
    .map((user) => ({
      id: user.id,
      email: user.deliveryEmail,
      name: user.fullName,
      role: roleOf(user.role),
      bot: user.botType !== null,
      active: user.deactivatedAt === null,
    }))
  print(rows, json)
}

type EraseOptions = Place & { channelMessages: boolean; directMessages: boolean; files: boolean; yes: boolean }

async function eraseAccount(email: string, { org, json, yes, ...given }: EraseOptions): Promise<void> {
  await using context = await openCliContext({ org })
  const realm = await requireOrganization(context, org)
  const user = await requireAccount(context, realm, email)
  const { inChannels, direct, files } = await countMessagesOf(context.storage.db, user.id)
  const choices = {
    deletesChannelMessages: given.channelMessages,
    deletesDirectMessages: given.directMessages,
    deletesFiles: given.files,
  }
  if (yes) {
    await context.storage.transaction(async (tx) =>
      eraseUser(tx, { realm: await lockRealm(tx, realm.id), user, actorId: null, choices }),
    )
  }
  const fate = (count: number, isDeleted: boolean) => `${count}, ${isDeleted ? 'deleted' : 'kept under the pseudonym'}`
  const state = yes ? 'started; the running server does the rest' : 'nothing was erased; repeat the command with --yes'
  print(
    {
      ...{ user_id: user.id, name: pseudonymOf(user) },
      channel_messages: fate(inChannels, choices.deletesChannelMessages),
      direct_messages: fate(direct, choices.deletesDirectMessages),
      files: fate(files, choices.deletesFiles),
      erasure: state,
    },
    json,
  )
}

async function deactivateAccount(email: string, { org, json }: Place): Promise<void> {
  await using context = await openCliContext({ org })
  const realm = await requireOrganization(context, org)
  const account = await requireAccount(context, realm, email)
  if (account.deactivatedAt !== null) throw userDeactivated()
  const ended = await context.storage.transaction((tx) => deactivateUser(tx, realm, account))
  print(
    ended.map((user) => ({ id: user.id, email: user.deliveryEmail, active: false })),
    json,
  )
}
