import { useMutation } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { t } from '../text/t.ts'
import { showToast } from '../ui/feedback/toasts.ts'
import { toAppError } from './app-error.ts'
import { type Organization, updateOrganization, useOrganization } from './organization.ts'

export type OwnSettings = Organization['user_settings']

const show = (change: Partial<OwnSettings>) =>
  updateOrganization(({ user_settings }) => ({ user_settings: { ...user_settings, ...change } }))

/** The server's values of the settings that are being changed, and the number of requests that have no answer yet. */
const confirmed = new Map<string, unknown>()
let underWay = 0

/** Returns the user's settings, and a function that changes some of them here at once and on all devices. */
export function useOwnSettings(): [settings: OwnSettings, change: (change: Partial<OwnSettings>) => void] {
  const { user_settings } = useOrganization()
  const { mutate } = useMutation({
    mutationFn: (change: Partial<OwnSettings>) => call('PATCH /settings', change),
    // In order, so that the last change wins.
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
      showToast(t('Couldn’t save the change. {message}', { message: toAppError(error).message }), { kind: 'error' })
    },
    onSettled() {
      underWay -= 1
      if (underWay === 0) confirmed.clear()
    },
  })
  return [user_settings, mutate]
}

const namesOf = (change: Partial<OwnSettings>) => Object.keys(change) as (keyof OwnSettings)[]
