import type { Subscription } from '../../store/organization.ts'

const byName = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })

/** Returns the channels that are not archived, sorted by name, with pinned channels first. */
export function sortedChannels(subscriptions: readonly Subscription[]): Subscription[] {
  return subscriptions
    .filter((channel) => !channel.is_archived)
    .sort((one, other) => Number(other.pin_to_top) - Number(one.pin_to_top) || byName.compare(one.name, other.name))
}
