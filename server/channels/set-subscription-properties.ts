import { viewerOf } from '#groups/viewer.ts'
import { refusal } from '#lib/errors.ts'
import type { Actor } from '#people/users.ts'
import type { Transaction } from '#storage/storage.ts'
import { isSubscribed, requireChannel } from './access.ts'
import { subscriptionChanged } from './audience.ts'
import {
  type NotificationName,
  notificationNames,
  saveNotification,
  saveSubscriptionFields,
  toColor,
} from './subscriptions.ts'

// Changes of a user's own subscription, such as its color. They are private: only the user's own clients receive the
// events.

export const notSubscribed = refusal('BAD_REQUEST', 400, 'Not subscribed to channel ID {channelId}')
export const unknownProperty = refusal('BAD_REQUEST', 400, 'Unknown subscription property: {property}', {
  field: 'property',
})
export const notABoolean = refusal('BAD_REQUEST', 400, '{property} is not a boolean', { field: '{property}' })
export const notAString = refusal('BAD_REQUEST', 400, '{property} is not a string', { field: '{property}' })
export const propertyNotAColor = refusal('BAD_REQUEST', 400, '{property} is not a valid hex color code', {
  field: '{property}',
})

/** A change of a subscription as clients send it. */
type PropertyChange = { channelId: number; property: string; value: boolean | string }

/**
 * A valid change of a subscription. Older clients send `in_home_view`, the opposite of `is_muted`; it becomes
 * `is_muted` here.
 */
type Setting =
  | { channelId: number; property: 'color'; value: string }
  | { channelId: number; property: 'is_muted' | 'pin_to_top' | NotificationName; value: boolean }

/** Changes properties of the actor's subscriptions, and emits the changes to the actor. */
export async function setSubscriptionProperties(
  tx: Transaction,
  actor: Actor,
  changes: readonly PropertyChange[],
): Promise<void> {
  const archived = new Set<number>()
  for (const channelId of new Set(changes.map((change) => change.channelId))) {
    const channel = await requireChannel(viewerOf(tx.db, actor, tx.now), channelId)
    if (!(await isSubscribed(tx.db, actor.id, channel.id))) throw notSubscribed({ channelId })
    if (channel.archivedAt !== null) archived.add(channelId)
  }
  for (const setting of changes.map(requireSetting)) {
    await saveSetting(tx, actor, setting)
    emitSetting(tx, actor, setting, archived.has(setting.channelId))
  }
}

function requireSetting({ channelId, property, value }: PropertyChange): Setting {
  if (property === 'color') {
    if (typeof value !== 'string') throw notAString({ property })
    const color = toColor(value)
    if (color === null) throw propertyNotAColor({ property })
    return { channelId, property, value: color }
  }
  if (property === 'in_home_view') return { channelId, property: 'is_muted', value: !requireBoolean(property, value) }
  if (property === 'is_muted' || property === 'pin_to_top' || isNotificationName(property)) {
    return { channelId, property, value: requireBoolean(property, value) }
  }
  throw unknownProperty({ property })
}

function requireBoolean(property: string, value: boolean | string): boolean {
  if (typeof value !== 'boolean') throw notABoolean({ property })
  return value
}

const isNotificationName = (name: string): name is NotificationName =>
  (notificationNames as readonly string[]).includes(name)

async function saveSetting(tx: Transaction, actor: Actor, { channelId, property, value }: Setting): Promise<void> {
  switch (property) {
    case 'color':
      return saveSubscriptionFields(tx, actor.id, channelId, { color: value })
    case 'is_muted':
      return saveSubscriptionFields(tx, actor.id, channelId, { isMuted: value ? 1 : 0 })
    case 'pin_to_top':
      return saveSubscriptionFields(tx, actor.id, channelId, { isPinned: value ? 1 : 0 })
    default:
      return saveNotification(tx, actor.id, channelId, property, value)
  }
}

function emitSetting(
  tx: Transaction,
  actor: Actor,
  { channelId, property, value }: Setting,
  isArchived: boolean,
): void {
  const channel = { id: channelId, isArchived }
  if (property === 'is_muted') tx.emit(actor.realmId, subscriptionChanged(channel, 'in_home_view', !value), [actor.id])
  tx.emit(actor.realmId, subscriptionChanged(channel, property, value), [actor.id])
}
