import { useMutation } from '@tanstack/react-query'
import { createAtom } from '@tanstack/react-store'
import { call } from '../api/call.ts'
import { t } from '../text/t.ts'
import { showToast } from '../ui/toasts.ts'
import { toAppError } from './app-error.ts'
import { type Organization, updateOrganization, useOrganization } from './organization.ts'
import { queryClient } from './query-client.ts'

export type OwnSettings = Organization['user_settings']

const show = (change: Partial<OwnSettings>) =>
  updateOrganization(({ user_settings }) => ({ user_settings: { ...user_settings, ...change } }))

const SAVING = ['own settings']

/** The server's values of the settings that are being changed. */
const confirmed = createAtom<Partial<OwnSettings>>({})

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
    mutationKey: SAVING,
    onMutate(change) {
      confirmed.set((known) => ({ ...pick(user_settings, change), ...known }))
      show(change)
    },
    onSuccess(_, change) {
      confirmed.set((known) => ({ ...known, ...change }))
    },
    onError(error, change) {
      show(pick(confirmed.get(), change))
      if (!showsErrors) showToast(failureText(error), { kind: 'error' })
    },
    onSettled() {
      // This request counts as well.
      if (queryClient.isMutating({ mutationKey: SAVING }) === 1) confirmed.set({})
    },
  })
  const state = isPending ? 'saving' : isSuccess ? 'saved' : 'idle'
  return [user_settings, mutate, { state, error: error === null ? null : failureText(error) }]
}

const failureText = (error: unknown): string =>
  t('Couldn’t save the change. {message}', { message: toAppError(error).message })

/** Returns the values that the settings have whose names are in `change`. */
const pick = (settings: Partial<OwnSettings>, change: Partial<OwnSettings>): Partial<OwnSettings> =>
  Object.fromEntries(Object.keys(change).map((name) => [name, settings[name as keyof OwnSettings]]))
