import { useMutation } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { toAppError } from '../store/app-error.ts'
import { type Subscription, updateOrganization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { showToast } from '../ui/toasts.ts'

type Value = string | boolean | null
type Change = { property: keyof Subscription; value: string | boolean }

const show = (id: number, property: keyof Subscription, value: Value) =>
  updateOrganization(({ subscriptions }) => ({
    subscriptions: subscriptions.map((one) => (one.stream_id === id ? { ...one, [property]: value } : one)),
  }))

/**
 * Returns a function that changes the user's settings for a channel. The page shows a change immediately, and reverts
 * it if the server refuses it.
 */
export function useSetProperty(
  subscription: Subscription,
): (property: keyof Subscription, value: string | boolean) => void {
  const { stream_id, name } = subscription
  const { mutate } = useMutation({
    mutationFn: (change: Change) =>
      call('POST /users/me/subscriptions/properties', { subscription_data: [{ stream_id, ...change }] }),
    // Changes are sent in order, so that the last one wins.
    scope: { id: `properties of ${stream_id}` },
    onMutate({ property, value }): { property: keyof Subscription; value: Value } {
      const before = subscription[property] as Value
      show(stream_id, property, value)
      return { property, value: before }
    },
    onSuccess(_, { property, value }) {
      if (property !== 'is_muted') return
      const undo = () => mutate({ property, value: !value })
      showToast(value ? t('#{name} is muted', { name }) : t('#{name} is no longer muted', { name }), { undo })
    },
    onError(error, _, before) {
      showToast(t('Couldn’t save your settings for #{name}. {message}', { name, message: toAppError(error).message }), {
        kind: 'error',
      })
      if (before !== undefined) show(stream_id, before.property, before.value)
    },
  })
  return (property, value) => mutate({ property, value })
}
