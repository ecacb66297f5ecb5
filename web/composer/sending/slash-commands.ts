import { t } from '../../text/t.ts'

type CommandName = 'me' | 'poll' | 'todo' | ClientCommand['name']

/** The commands at the start of messages. The server handles a command, or the client runs it instead of sending it. */
export const SLASH_COMMANDS: readonly { readonly name: CommandName; readonly hint: string; readonly insert: string }[] =
  [
    { name: 'me', hint: t('Describe what you’re doing'), insert: '/me ' },
    { name: 'poll', hint: t('Create a poll'), insert: '/poll ' },
    { name: 'todo', hint: t('Create a to-do list'), insert: '/todo ' },
    { name: 'remind', hint: t('Get a reminder: time, message'), insert: '/remind ' },
    { name: 'status', hint: t('Set your status'), insert: '/status ' },
    { name: 'dark', hint: t('Use the dark theme'), insert: '/dark' },
    { name: 'light', hint: t('Use the light theme'), insert: '/light' },
  ]

/** A command that the client runs, with the text after it. */
export type ClientCommand = { readonly name: 'dark' | 'light' | 'remind' | 'status'; readonly text: string }

/** The confirmation of a command, or the error in its text. */
export type CommandOutcome = { readonly done: string } | { readonly error: string }

/** Returns the command in the text if the client runs it; null if the text is sent as a message. */
export function commandOf(text: string): ClientCommand | null {
  const { name, rest = '' } = /^\/(?<name>dark|light|remind|status)(?:\s+(?<rest>.*))?$/s.exec(text)?.groups ?? {}
  if (name === undefined || (name !== 'remind' && rest.trim().includes('\n'))) return null
  if (rest.trim() !== '' && (name === 'dark' || name === 'light')) return null
  return { name: name as ClientCommand['name'], text: rest.trim() }
}
