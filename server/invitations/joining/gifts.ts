import type { Channel } from '../../channels/channel.ts'
import { findDefaultChannels } from '../../channels/default-channel-queries.ts'
import type { Group } from '../../groups/group.ts'
import type { Actor } from '../../people/users/user.ts'
import type { Db } from '../../platform/storage/storage.ts'
import { findChannelsToGive, findGroupsToGive } from '../access.ts'
import type { Invitation } from '../invitation.ts'

/** Where an invitation leads. */
export type Gifts = { channels: Channel[]; groups: Group[] }

/**
 * Where the newcomer is going to be: what the invitation names, less what is gone or no longer the inviter's to give, and
 * what is a default channel now, where they are to be in those.
 */
export async function findGifts(db: Db, inviter: Actor, invitation: Invitation, now: number): Promise<Gifts> {
  const named = await findChannelsToGive(db, inviter, invitation.channelIds, now)
  const usual = invitation.includesDefaultChannels ? await findDefaultChannels(db, inviter.realmId) : []
  const channels = new Map([...named, ...usual].map((channel) => [channel.id, channel]))
  return {
    channels: [...channels.values()],
    groups: await findGroupsToGive(db, inviter, invitation.groupIds, now),
  }
}
