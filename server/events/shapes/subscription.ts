import {
  type InheritedNotifications,
  type SubscriptionJson,
  withInheritedNotifications,
} from '../../channels/subscriptions/subscription.ts'
import type { Payload, QueueForm } from '../queues/queue.ts'

type Added = { subscriptions: readonly SubscriptionJson[]; inherited: InheritedNotifications }

/**
 * A change of subscriptions. To clients that do not know archived channels nobody comes into one, and what one sets for it
 * is not told; what new subscriptions leave to the subscriber's settings is told as these were, where it must be set.
 */
export function shapeSubscription(payload: Payload, form: QueueForm): Payload | readonly Payload[] {
  if (payload['op'] === 'update') return shapeSetting(payload, form)
  if (payload['op'] !== 'add') return payload
  const { subscriptions, inherited, ...event } = payload as unknown as Added
  const told = subscriptions.filter((channel) => form.takesArchivedChannels || !channel.is_archived)
  if (told.length === 0) return []
  if (form.takesUnsetNotifications) return { ...event, subscriptions: told }
  return { ...event, subscriptions: told.map((one) => withInheritedNotifications(one, inherited)) }
}

function shapeSetting({ is_archived: isOfArchived, ...event }: Payload, form: QueueForm): Payload | readonly Payload[] {
  return isOfArchived === true && !form.takesArchivedChannels ? [] : event
}
