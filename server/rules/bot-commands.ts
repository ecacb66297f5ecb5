// Commands at the start of messages, such as `/deploy staging`. The server finds the bot of a command by the same rule by
// which the web client completes it.

/** The commands of the server, of this web client, and of Zulip's clients. Bots cannot have them. */
const RESERVED = new Set(
  'me poll todo remind status dark light day night fixed-width fluid-width ping settings play help'.split(' '),
)

/** The maximum number of commands of a bot. */
export const MAX_COMMANDS = 50

export const MAX_COMMAND_NAME = 32

const NAME = /^[a-z0-9][a-z0-9_-]*$/
const COMMAND = /^\/([a-z0-9][a-z0-9_-]*)(?:\s+(.*))?$/is

/** Returns whether a bot may have a command of this name: 1 to 32 lowercase letters, digits, hyphens and underscores. */
export function isCommandName(name: string): boolean {
  return name.length <= MAX_COMMAND_NAME && NAME.test(name)
}

export function isReservedCommand(name: string): boolean {
  return RESERVED.has(name)
}

/** Returns the command at the start of a message, with the text after it; null if it cannot be the command of a bot. */
export function readCommand(content: string): { name: string; text: string } | null {
  const [, typed, text = ''] = COMMAND.exec(content) ?? []
  const name = typed?.toLowerCase() ?? ''
  return isCommandName(name) && !isReservedCommand(name) ? { name, text: text.trim() } : null
}
