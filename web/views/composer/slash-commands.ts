import { call } from '../../api/call.ts'
import { Theme } from '../../store/browser/theme.ts'
import { updateOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'

/** A command at the start of a message: the server's own, or one that the client runs instead of sending it. */
export const SLASH_COMMANDS: readonly { readonly name: string; readonly hint: string; readonly insert: string }[] = [
  { name: 'me', hint: t('Describe what you’re doing'), insert: '/me ' },
  { name: 'poll', hint: t('Start a poll: a question, then one option per line'), insert: '/poll ' },
  { name: 'todo', hint: t('Start a to-do list: a title, then one task per line'), insert: '/todo ' },
  { name: 'status', hint: t('Set your status'), insert: '/status ' },
  { name: 'dark', hint: t('Use the dark theme'), insert: '/dark' },
  { name: 'light', hint: t('Use the light theme'), insert: '/light' },
]

/** Returns a function that runs the command in the text; null if the text is a message. */
export function commandOf(text: string): { run: () => Promise<string> } | null {
  const [, name, rest = ''] = /^\/(dark|light|status)(?:\s+([^\n]*))?\s*$/.exec(text) ?? []
  if (name === 'status') return { run: () => setStatus(rest.trim()) }
  if (name === undefined || rest.trim() !== '') return null
  return { run: () => setTheme(name === 'dark' ? Theme.dark : Theme.light) }
}

async function setStatus(text: string): Promise<string> {
  await call('POST /users/me/status', { status_text: text })
  return text === '' ? t('Status cleared') : t('Status set to “{text}”', { text })
}

async function setTheme(color_scheme: number): Promise<string> {
  await call('PATCH /settings', { color_scheme })
  updateOrganization(({ user_settings }) => ({ user_settings: { ...user_settings, color_scheme } }))
  return color_scheme === Theme.dark ? t('Dark theme on') : t('Light theme on')
}
