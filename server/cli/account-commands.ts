import { type Command, Option } from 'commander'
import { isLastOwner } from '#accounts/access.ts'
import { changeFullName, reactivateUser, setRole } from '#accounts/change-users.ts'
import { deleteIdentitiesOfUser } from '#identity/external-identities.ts'
import { findSignInMethods } from '#identity/providers.ts'
import { deleteAllApiKeys } from '#people/api-keys.ts'
import { recordAudit } from '#people/audit.ts'
import { deleteTrustedBrowsers } from '#people/second-factors.ts'
import { deleteKnownNetworks, deleteSessionsOf, findSessionsOf } from '#people/sessions.ts'
import { saveUserFields } from '#people/user-queries.ts'
import { isBot, type User } from '#people/users.ts'
import { lockRealm } from '#realms/queries.ts'
import { Role } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import { CliError, hashGiven, openCliContext, passwordOf, requireAccount, requireOrganization } from './cli-context.ts'
import { jsonOption, print, toIsoTime } from './output.ts'

type Place = { org: string; json: boolean }

const roleNames = Object.keys(Role) as (keyof typeof Role)[]

/** Adds the commands that change an account as its page in the app does. The operator needs no role. */
export function addAccountCommands(user: Command): void {
  const add = (command: string, description: string) =>
    user
      .command(command)
      .description(description)
      .option('--org <subdomain>', 'subdomain of the organization; the root organization if omitted', '')
      .addOption(jsonOption())

  add('set-role <address>', 'change the role of an account')
    .addOption(new Option('--role <role>', 'the new role').choices(roleNames).makeOptionMandatory())
    .action((email: string, given: Place & { role: keyof typeof Role }) =>
      changeAccount(email, given, async (tx, account) => {
        const role = Role[given.role]
        if (role === account.role) return {}
        if (await isLastOwner(tx, account))
          throw new CliError(`${email} is the only owner. Make someone else an owner first.`)
        await setRole(tx, await lockRealm(tx, account.realmId), account, role)
        return { role: given.role }
      }),
    )

  add('rename <address> <name>', 'change the full name of an account').action(
    (email: string, name: string, given: Place) =>
      changeAccount(email, given, async (tx, account) => {
        await changeFullName(tx, await lockRealm(tx, account.realmId), account, name)
        return { name }
      }),
  )

  add('reactivate <address>', 'reactivate an account; its bots stay deactivated').action(
    (email: string, given: Place) =>
      changeAccount(email, given, async (tx, account) => {
        if (account.deactivatedAt === null) throw new CliError(`${email} is active.`)
        await reactivateUser(tx, await lockRealm(tx, account.realmId), account)
        return { active: true }
      }),
  )

  add('password <address>', 'log an account out everywhere, and set its password or print a link to choose one')
    .option('--password <password>', 'the new password; if omitted, a link is printed that works once, within an hour')
    .action(setPassword)

  add(
    'disconnect <address>',
    'log an account out, and forget the accounts of other services that sign in to it',
  ).action((email: string, given: Place) =>
    changeAccount(email, given, async (tx, account) => {
      await deleteIdentitiesOfUser(tx, account.id)
      await deleteSessionsOf(tx, account.id)
      await recordAudit(tx, account.realmId, 'sign_in_disconnected', { targetId: account.id, by: '' })
      return {}
    }),
  )

  add('sessions <address>', 'list the browsers that are logged in to an account')
    .option('--close', 'log out all browsers and apps: sessions and API keys are deleted', false)
    .action(showSessions)
}

/** Changes the account in a transaction, and prints its address with the facts that `change` returns. */
async function changeAccount(
  email: string,
  { org, json }: Place,
  change: (tx: Transaction, account: User) => Promise<{ role?: string; name?: string; active?: boolean }>,
): Promise<void> {
  await using context = await openCliContext({ org })
  const account = await requireAccount(context, await requireOrganization(context, org), email)
  const facts = await context.storage.transaction((tx) => change(tx, account))
  print({ user_id: account.id, email: account.deliveryEmail, ...facts }, json)
}

async function setPassword(email: string, { org, json, password }: Place & { password?: string }): Promise<void> {
  await using context = await openCliContext({ org })
  const realm = await requireOrganization(context, org)
  const account = await requireAccount(context, realm, email)
  if (isBot(account)) throw new CliError(`${email} is a bot, and bots have no password.`)
  if (account.deactivatedAt !== null) throw new CliError(`${email} is deactivated. Reactivate the account first.`)
  if (!(await findSignInMethods(context.storage.db, realm)).isPasswordEnabled)
    throw new CliError(
      'The owners of the organization have turned passwords off. Turn all ways to sign in on again: org set authentication_methods {}',
    )
  const passwordHash = await hashGiven(context, password, { email, organization: realm.name })
  await context.storage.transaction(async (tx) => {
    await saveUserFields(tx, account.id, { passwordHash: passwordHash ?? null })
    await deleteSessionsOf(tx, account.id)
    await deleteKnownNetworks(tx, account.id)
    await deleteTrustedBrowsers(tx, account.id)
    await recordAudit(tx, realm.id, 'password_changed', { targetId: account.id, by: 'command' })
  })
  print(
    { user_id: account.id, email: account.deliveryEmail, ...(await passwordOf(context, realm, account, passwordHash)) },
    json,
  )
}

async function showSessions(email: string, { org, json, close }: Place & { close: boolean }): Promise<void> {
  await using context = await openCliContext({ org })
  const account = await requireAccount(context, await requireOrganization(context, org), email)
  const sessions = await findSessionsOf(context.storage.db, account.id, context.clock.now())
  if (close)
    await context.storage.transaction(async (tx) => {
      await deleteSessionsOf(tx, account.id)
      await deleteAllApiKeys(tx, account.id)
      await recordAudit(tx, account.realmId, 'logged_out_by_other', { targetId: account.id })
    })
  print(
    sessions.map(({ id, browser, openedAt, expiresAt }) => ({
      id,
      browser,
      opened: toIsoTime(openedAt),
      expires: toIsoTime(expiresAt),
      open: !close,
    })),
    json,
  )
}
