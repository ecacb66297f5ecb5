import type { Subscription } from '../../../store/organization.ts'
import { sortedChannels } from '../../channel/channels.ts'

export type SectionId = 'pinned' | 'channels' | 'inactive'

/** Returns the user's channels in the sections of the sidebar: pinned, active, and inactive ones; muted ones last. */
export function sortedSections(subscriptions: readonly Subscription[]): { id: SectionId; channels: Subscription[] }[] {
  const sections: Record<SectionId, Subscription[]> = { pinned: [], channels: [], inactive: [] }
  for (const channel of sortedChannels(subscriptions)) sections[sectionOf(channel)].push(channel)
  return (['pinned', 'channels', 'inactive'] as const).map((id) => ({
    id,
    channels: sections[id].sort((one, other) => Number(one.is_muted) - Number(other.is_muted)),
  }))
}

const sectionOf = ({ pin_to_top, is_recently_active }: Subscription): SectionId =>
  pin_to_top ? 'pinned' : is_recently_active ? 'channels' : 'inactive'
