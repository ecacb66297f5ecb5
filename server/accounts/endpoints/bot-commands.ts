import { z } from 'zod'
import { findActiveUsers } from '#channels/audience.ts'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { noSuchBot, requireOwnBot } from '#people/access.ts'
import {
  type BotCommand,
  botCommandFields,
  commandRefusals,
  findCommandsOf,
  findRealmCommands,
  requireValidCommands,
  saveCommands,
  toCommandJson,
} from '#people/bot-commands.ts'
import type { Actor } from '#people/users.ts'
import { BotType } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import { accountIds, emitTo } from '../user-events.ts'

const onlyOutgoingWebhooks = refusal('BAD_REQUEST', 400, 'Only outgoing webhook bots have commands.', {
  field: 'bot_id',
})

/** Replaces the commands of the bot, and emits an event, after which clients fetch the commands again. */
async function changeCommands(
  tx: Transaction,
  actor: Actor,
  botId: number,
  commands: readonly BotCommand[],
): Promise<BotCommand[]> {
  const bot = await requireOwnBot(tx.db, actor, botId)
  if (bot.botType !== BotType.outgoingWebhook) throw onlyOutgoingWebhooks()
  requireValidCommands(commands)
  // Two transactions that take the same names wait for each other in this order.
  await saveCommands(
    tx,
    bot,
    commands.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
  )
  const { all } = await findActiveUsers(tx.db, actor.realmId)
  emitTo(tx, actor.realm, { type: 'bot_commands' }, accountIds(all))
  return findCommandsOf(tx.db, bot.id)
}

const commandJson = z.strictObject({
  name: z.string(),
  description: z.string(),
  argument_hint: z.string(),
})

const getAllCommands = endpoint({
  route: 'GET /bot_commands',
  summary: 'List the commands of all bots',
  description:
    'A message that starts with `/name` is sent like every other one, and delivered to the bot of the command, if the bot ' +
    'takes part in the conversation or the channel is public. The event `bot_commands` reports changes.',
  who: 'user',
  returns: { commands: z.array(commandJson.extend({ bot_id: z.int() })) },
  async handle({ db, actor }) {
    const commands = await findRealmCommands(db, actor.realmId)
    return { commands: commands.map(({ botId, ...command }) => ({ ...toCommandJson(command), bot_id: botId })) }
  },
})

const getCommands = endpoint({
  route: 'GET /bots/{bot_id}/commands',
  summary: 'List the commands of a bot',
  description: 'Requires the owner of the bot or an administrator.',
  who: 'human',
  returns: { commands: z.array(commandJson) },
  refuses: [noSuchBot],
  async handle({ db, actor }, { bot_id: botId }) {
    const bot = await requireOwnBot(db, actor, botId)
    return { commands: (await findCommandsOf(db, bot.id)).map(toCommandJson) }
  },
})

const putCommands = endpoint({
  route: 'PUT /bots/{bot_id}/commands',
  summary: 'Set the commands of a bot',
  description:
    'Replaces the whole list. Requires the owner of the bot or an administrator. Only outgoing webhooks have commands. A ' +
    'name belongs to one active bot of the organization; built-in commands such as `/poll` cannot be taken.',
  who: 'human',
  params: { commands: z.array(z.strictObject(botCommandFields)) },
  returns: { commands: z.array(commandJson) },
  refuses: [noSuchBot, onlyOutgoingWebhooks, ...commandRefusals],
  async handle({ actor, transaction }, { bot_id: botId, commands: given }) {
    const commands = given.map(({ argument_hint: argumentHint, ...command }) => ({ ...command, argumentHint }))
    return { commands: (await transaction((tx) => changeCommands(tx, actor, botId, commands))).map(toCommandJson) }
  },
})

/** The commands of bots: `/name …` at the start of a message. */
export const botCommandEndpoints = [getAllCommands, getCommands, putCommands]
