import { type Command, Option } from 'commander'
import { addBotKey, createBot, reactivateBot, replaceBotKeys, requireUrl } from '#accounts/change-bots.ts'
import { deactivateUser } from '#accounts/change-users.ts'
import { commandLine } from '#lib/process.ts'
import { userDeactivated } from '#people/access.ts'
import { findRealmUsers, findUser } from '#people/user-queries.ts'
import { isBot, type User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import { BotType, ServiceInterface } from '#rules/role.ts'
import {
  CliError,
  openCliContext,
  requireAccount,
  requireActor,
  requireOrganization,
  UsageError,
} from './cli-context.ts'
import { addExplained, print } from './output.ts'

type Place = { org: string; json: boolean }

/** The types of bots that can be created, by the names of the page. */
const types = {
  generic: BotType.generic,
  'incoming-webhook': BotType.incomingWebhook,
  'outgoing-webhook': BotType.outgoingWebhook,
} as const

const formats = Object.keys(ServiceInterface) as (keyof typeof ServiceInterface)[]

type CreateOptions = Place & {
  name: string
  owner: string
  type: keyof typeof types
  url?: string
  format: keyof typeof ServiceInterface
}

/** The name of the client that API keys of the command line belong to. */
const CLIENT = 'parley'

/** Adds the commands for bots, which are named by address or by id. The owner of a bot gets the emails of the page. */
export function addBotCommands(program: Command): void {
  const bots = program.command('bot').description('manage bots')

  addExplained(bots, 'list', 'list all bots', 'parley bot list').action(listBots)
  addExplained(
    bots,
    'create <short-name>',
    'create a bot with the address SHORT-NAME-bot@HOST, and print its API key',
    'parley bot create deploy --name "Deploy Bot" --owner ada@example.com',
  )
    .requiredOption('--name <name>', 'full name of the bot')
    .requiredOption('--owner <address>', 'address of its owner, whose permissions limit those of the bot')
    .addOption(new Option('--type <type>', 'type of the bot').choices(Object.keys(types)).default('generic'))
    .option('--url <url>', 'address to which an outgoing webhook sends messages')
    .addOption(new Option('--format <format>', 'format of these messages').choices(formats).default('generic'))
    .action(create)
  addExplained(
    bots,
    'deactivate <bot>',
    'deactivate a bot',
    'parley bot deactivate deploy-bot@chat.example.com',
  ).action(deactivate)
  addExplained(
    bots,
    'reactivate <bot>',
    'reactivate a bot; if its owner is deactivated, it gets another owner and needs a new key',
    'parley bot reactivate deploy-bot@chat.example.com',
  )
    .option('--as <address>', 'account whose permissions apply and which may become the owner; an owner if omitted')
    .action(reactivate)
  addExplained(
    bots,
    'key <bot>',
    'add an API key to a bot, and print it',
    'parley bot key deploy-bot@chat.example.com --replace',
  )
    .option('--replace', 'delete its other keys, and replace the token of an outgoing webhook', false)
    .action(addKey)
}

async function listBots({ org, json }: Place): Promise<void> {
  await using context = await openCliContext({ org })
  const realm = await requireOrganization(context, org)
  const users = await findRealmUsers(context.storage.db, realm.id)
  const emailOf = new Map(users.map(({ id, deliveryEmail }) => [id, deliveryEmail]))
  const typeOf = (bot: User) => Object.entries(types).find(([, type]) => type === bot.botType)?.[0] ?? ''
  print(
    users.filter(isBot).map((bot) => ({
      ...{ id: bot.id, email: bot.deliveryEmail, name: bot.fullName, type: typeOf(bot) },
      owner: bot.botOwnerId === null ? '' : (emailOf.get(bot.botOwnerId) ?? ''),
      active: bot.deactivatedAt === null,
    })),
    json,
  )
}

async function create(shortName: string, { org, json, ...given }: CreateOptions): Promise<void> {
  const isOutgoing = given.type === 'outgoing-webhook'
  if (isOutgoing !== (given.url !== undefined))
    throw new UsageError('An outgoing webhook needs --url, and no other bot has it.')
  const service =
    given.url === undefined
      ? null
      : { payloadUrl: requireUrl('--url', given.url), interface: ServiceInterface[given.format] }
  await using context = await openCliContext({ org })
  const realm = await requireOrganization(context, org)
  const owner = await requireActor(context, realm, given.owner)
  const request = { fullName: given.name, shortName, botType: types[given.type], service, client: CLIENT }
  const { bot, apiKey } = await context.storage.transaction((tx) => createBot(tx, owner, request))
  print({ id: bot.id, email: bot.deliveryEmail, owner: owner.deliveryEmail, api_key: apiKey }, json)
}

async function deactivate(given: string, { org, json }: Place): Promise<void> {
  await using context = await openCliContext({ org })
  const realm = await requireOrganization(context, org)
  const bot = await requireBot(context, realm, given)
  if (bot.deactivatedAt !== null) throw userDeactivated()
  await context.storage.transaction((tx) => deactivateUser(tx, realm, bot))
  print({ id: bot.id, email: bot.deliveryEmail, active: false }, json)
}

async function reactivate(given: string, { org, json, as }: Place & { as?: string }): Promise<void> {
  await using context = await openCliContext({ org })
  const realm = await requireOrganization(context, org)
  const actor = await requireActor(context, realm, as)
  const bot = await requireBot(context, realm, given)
  if (bot.deactivatedAt === null) throw new CliError(`${bot.deliveryEmail} is active.`)
  await context.storage.transaction((tx) => reactivateBot(tx, actor, bot))
  const after = await findUser(context.storage.db, bot.id)
  print({ id: bot.id, email: bot.deliveryEmail, owner_id: after?.botOwnerId ?? null, active: true }, json)
}

async function addKey(given: string, { org, json, replace }: Place & { replace: boolean }): Promise<void> {
  await using context = await openCliContext({ org })
  const realm = await requireOrganization(context, org)
  const actor = await requireActor(context, realm, undefined)
  const bot = await requireBot(context, realm, given)
  if (bot.deactivatedAt !== null) throw userDeactivated()
  const apiKey = await context.storage.transaction((tx) =>
    (replace ? replaceBotKeys : addBotKey)(tx, actor, bot, CLIENT),
  )
  print({ id: bot.id, email: bot.deliveryEmail, api_key: apiKey }, json)
}

async function requireBot(context: Parameters<typeof requireAccount>[0], realm: Realm, given: string): Promise<User> {
  const byId = /^\d{1,15}$/.test(given) ? await findUser(context.storage.db, Number(given)) : null
  const bot = byId?.realmId === realm.id ? byId : await requireAccount(context, realm, given)
  if (!isBot(bot)) throw new CliError(`${given} is not a bot. \`${commandLine('bot list')}\` shows all.`)
  return bot
}
