import { z } from 'zod'
import { refusal } from '#lib/errors.ts'
import { isCommandName, isReservedCommand, MAX_COMMAND_NAME, MAX_COMMANDS, readCommand } from '#rules/bot-commands.ts'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { User } from './users.ts'

// Commands of outgoing-webhook bots: a message that starts with `/name` is delivered to the bot. A name belongs to one
// active bot of an organization; another bot can take the name of a deactivated one.

/** A command that a bot offers. */
export type BotCommand = { name: string; description: string; argumentHint: string }

const shortText = (most: number) =>
  z.string().refine((text) => [...text].length <= most && !/[\p{Cc}\u2028\u2029]/u.test(text))

export const botCommandFields = {
  name: z.string().describe('Without the slash: lowercase letters, digits, hyphens and underscores.'),
  description: shortText(MAX_LENGTH.commandDescription).default('').describe('The effect of the command.'),
  argument_hint: shortText(MAX_LENGTH.commandHint)
    .default('')
    .describe('The text that follows, such as `[environment]`.'),
}

export const toCommandJson = ({ name, description, argumentHint }: BotCommand) => ({
  name,
  description,
  argument_hint: argumentHint,
})

const field = { field: 'commands' } as const
const invalidCommandName = refusal(
  'BAD_REQUEST',
  400,
  `"{name}" cannot be a command. Use 1 to ${MAX_COMMAND_NAME} lowercase letters, digits, hyphens and underscores.`,
  field,
)
const reservedCommand = refusal('BAD_REQUEST', 400, '/{name} is a built-in command.', field)
const repeatedCommand = refusal('BAD_REQUEST', 400, '/{name} is in the list twice.', field)
const commandTaken = refusal('BAD_REQUEST', 400, 'Another bot already has the command /{name}.', field)
const tooManyCommands = refusal('BAD_REQUEST', 400, `A bot can have at most ${MAX_COMMANDS} commands.`, field)

export const commandRefusals = [invalidCommandName, reservedCommand, repeatedCommand, commandTaken, tooManyCommands]

/** Refuses a list of commands that no bot may have. */
export function requireValidCommands(commands: readonly { name: string }[]): void {
  if (commands.length > MAX_COMMANDS) throw tooManyCommands()
  const names = new Set<string>()
  for (const { name } of commands) {
    if (!isCommandName(name)) throw invalidCommandName({ name })
    if (isReservedCommand(name)) throw reservedCommand({ name })
    if (names.has(name)) throw repeatedCommand({ name })
    names.add(name)
  }
}

const columns = ['name', 'description', 'argumentHint'] as const

/** Returns the commands of a bot, ordered by name. */
export async function findCommandsOf(db: Db, botId: number): Promise<BotCommand[]> {
  return db.selectFrom('botCommands').select(columns).where('botId', '=', botId).orderBy('name').execute()
}

/** Returns the commands of the active bots of an organization, ordered by name. */
export async function findRealmCommands(db: Db, realmId: number): Promise<(BotCommand & { botId: number })[]> {
  return db
    .selectFrom('botCommands')
    .innerJoin('users', 'users.id', 'botCommands.botId')
    .select([...columns, 'botId'])
    .where('botCommands.realmId', '=', realmId)
    .where('deactivatedAt', 'is', null)
    .orderBy('name')
    .execute()
}

/** Replaces the commands of a bot. Refuses names that another active bot has. */
export async function saveCommands(tx: Transaction, bot: User, commands: readonly BotCommand[]): Promise<void> {
  const { id: botId, realmId } = bot
  await tx.deleteFrom('botCommands').where('botId', '=', botId).execute()
  const names = commands.map(({ name }) => name)
  if (names.length === 0) return
  const inactive = tx.db
    .selectFrom('users')
    .select('id')
    .where('realmId', '=', realmId)
    .where('deactivatedAt', 'is not', null)
  await tx
    .deleteFrom('botCommands')
    .where('realmId', '=', realmId)
    .where('name', 'in', names)
    .where('botId', 'in', inactive)
    .execute()
  const saved = await tx
    .insertInto('botCommands')
    .values(commands.map((command) => ({ ...command, realmId, botId })))
    .onConflict((on) => on.doNothing())
    .returning('name')
    .execute()
  const isSaved = new Set(saved.map(({ name }) => name))
  const taken = names.find((name) => !isSaved.has(name))
  if (taken !== undefined) throw commandTaken({ name: taken })
}

/**
 * Returns the active bot whose command the message starts with, and the text after the command. Returns null for other
 * messages.
 */
export async function findCommand(
  db: Db,
  realmId: number,
  content: string,
): Promise<{ botId: number; name: string; text: string } | null> {
  const command = content.startsWith('/') ? readCommand(content) : null
  if (command === null) return null
  const row = await db
    .selectFrom('botCommands')
    .innerJoin('users', 'users.id', 'botCommands.botId')
    .select('botId')
    .where('botCommands.realmId', '=', realmId)
    .where('name', '=', command.name)
    .where('deactivatedAt', 'is', null)
    .executeTakeFirst()
  return row === undefined ? null : { ...command, botId: row.botId }
}
