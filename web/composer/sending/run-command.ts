import { call } from '../../api/call.ts'
import { Theme } from '../../browser/appearance.ts'
import { toAppError } from '../../store/app-error.ts'
import { updateOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { loadPart } from '../../ui/load-part.ts'
import { showToast } from '../../ui/toasts.ts'
import type { ClientCommand, CommandOutcome } from './slash-commands.ts'

/** Runs a command, and shows its outcome; calls `onDone` if it succeeded. */
export async function runCommand(command: ClientCommand, ownId: number, onDone: () => void): Promise<void> {
  try {
    const outcome = await outcomeOf(command, ownId)
    if ('error' in outcome) return showToast(outcome.error, { kind: 'error' })
    showToast(outcome.done)
    onDone()
  } catch (error) {
    showToast(toAppError(error).message, { kind: 'error' })
  }
}

async function outcomeOf({ name, text }: ClientCommand, ownId: number): Promise<CommandOutcome> {
  if (name === 'remind') return (await loadPart(() => import('./remind.ts'))).remind(ownId, text)
  if (name === 'status') return { done: await setStatus(text) }
  return { done: await setTheme(name === 'dark' ? Theme.dark : Theme.light) }
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
