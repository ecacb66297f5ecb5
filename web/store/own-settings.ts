import { useMutation } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { toast } from '../ui/toast.ts'
import { type Organization, updateOrganization, useOrganization } from './organization.ts'
import { toTrouble } from './trouble.ts'

export type OwnSettings = Organization['user_settings']

const show = (change: Partial<OwnSettings>) =>
  updateOrganization(({ user_settings }) => ({ user_settings: { ...user_settings, ...change } }))

/** One's own settings, and what changes some of them here at once and for all devices; `what` names what could not be changed. */
export function useOwnSettings(what: string): [settings: OwnSettings, change: (change: Partial<OwnSettings>) => void] {
  const { user_settings } = useOrganization()
  const { mutate } = useMutation({
    mutationFn: (change: Partial<OwnSettings>) => call('PATCH /settings', change),
    // One after the other, so that the last one stays.
    scope: { id: 'own settings' },
    onMutate(change) {
      show(change)
      return Object.fromEntries(Object.keys(change).map((name) => [name, user_settings[name as keyof OwnSettings]]))
    },
    onError(error, _, before) {
      if (before !== undefined) show(before)
      toast(`${what} was not changed. ${toTrouble(error).message}`, { kind: 'error' })
    },
  })
  return [user_settings, mutate]
}
