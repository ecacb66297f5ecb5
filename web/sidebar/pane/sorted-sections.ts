import { sortedChannels } from '../../channels/channel.ts'
import type { Subscription } from '../../store/organization.ts'

export type SectionId = 'pinned' | 'channels' | 'inactive'

/** `demote_inactive_streams` of the API: whether inactive channels have their own section. */
const InactivePolicy = { automatic: 1, always: 2, never: 3 } as const

/** The minimum number of channels with which the automatic policy puts inactive channels into their own section. */
const MANY_CHANNELS = 30

/**
 * Returns the user's channels in the sections of the sidebar: pinned, active and inactive channels. Muted channels come
 * last in each section.
 */
export function sortedSections(
  subscriptions: readonly Subscription[],
  policy: number,
): { id: SectionId; channels: Subscription[] }[] {
  const separates =
    policy === InactivePolicy.always || (policy === InactivePolicy.automatic && subscriptions.length >= MANY_CHANNELS)
  const sections: Record<SectionId, Subscription[]> = { pinned: [], channels: [], inactive: [] }
  for (const channel of sortedChannels(subscriptions)) sections[sectionOf(channel, separates)].push(channel)
  return (['pinned', 'channels', 'inactive'] as const).map((id) => ({
    id,
    channels: sections[id].sort((one, other) => Number(one.is_muted) - Number(other.is_muted)),
  }))
}

const sectionOf = ({ pin_to_top, is_recently_active }: Subscription, separatesInactive: boolean): SectionId =>
  pin_to_top ? 'pinned' : is_recently_active || !separatesInactive ? 'channels' : 'inactive'
