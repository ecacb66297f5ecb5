import { useMutation } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { t } from '../text/t.ts'
import { showToast } from '../ui/toasts.ts'
import { toAppError } from './app-error.ts'
import { type Organization, updateOrganization, useOrganization } from './organization.ts'

export type OwnSettings = Organization['user_settings']

const show = (change: Partial<OwnSettings>) =>
  updateOrganization(({ user_settings }) => ({ user_settings: { ...user_settings, ...change } }))

/** The server's values of the settings that are being changed, and the number of requests without a response. */
const confirmed = new Map<string, unknown>()
let underWay = 0

/** The state of the last change that a component has made. */
type SaveState = 'idle' | 'saving' | 'saved'

type OwnSettingsHook = [
  settings: OwnSettings,
  change: (change: Partial<OwnSettings>) => void,
  last: { readonly state: SaveState; readonly error: string | null },
]

/**
 * Returns the user's settings, a function that changes some of them, and the state of the component's last change.
 * Changes are shown here at once, and then saved on the server. A toast reports errors, unless the component shows
 * them.
 */
export function useOwnSettings({ showsErrors = false } = {}): OwnSettingsHook {
  const { user_settings } = useOrganization('user_settings')
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: (change: Partial<OwnSettings>) => call('PATCH /settings', change),
    // Changes are sent in order, so that the last one wins.
    scope: { id: 'own settings' },
    onMutate(change) {
      underWay += 1
      for (const name of namesOf(change)) if (!confirmed.has(name)) confirmed.set(name, user_settings[name])
      show(change)
    },
    onSuccess(_, change) {
      for (const name of namesOf(change)) confirmed.set(name, change[name])
    },
    onError(error, change) {
      show(Object.fromEntries(namesOf(change).map((name) => [name, confirmed.get(name)])))
      if (!showsErrors) showToast(failureText(error), { kind: 'error' })
    },
    onSettled() {
      underWay -= 1
      if (underWay === 0) confirmed.clear()
    },
  })
  const state = isPending ? 'saving' : isSuccess ? 'saved' : 'idle'
  return [user_settings, mutate, { state, error: error === null ? null : failureText(error) }]
}

const failureText = (error: unknown): string =>
  t('Couldn’t save the change. {message}', { message: toAppError(error).message })

const namesOf = (change: Partial<OwnSettings>) => Object.keys(change) as (keyof OwnSettings)[]
