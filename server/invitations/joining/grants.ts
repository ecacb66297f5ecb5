import type { Channel } from '../../channels/channel.ts'
import { findDefaultChannels } from '../../channels/default-channel-queries.ts'
import type { Group } from '../../groups/group.ts'
import type { Actor } from '../../people/users/user.ts'
import type { Db } from '../../platform/storage/storage.ts'
import { findGrantableChannels, findGrantableGroups } from '../access.ts'
import type { Invitation } from '../invitation.ts'

/** Where an invitation leads. */
export type InvitationGrants = { channels: Channel[]; groups: Group[] }

/**
 * Where the newcomer is going to be: what the invitation names, less what is gone or no longer the inviter's to give, and
 * what is a default channel now, where they are to be in those.
 */
export async function findGrants(
  db: Db,
  inviter: Actor,
  invitation: Invitation,
  now: number,
): Promise<InvitationGrants> {
  const named = await findGrantableChannels(db, inviter, invitation.channelIds, now)
  const usual = invitation.includesDefaultChannels ? await findDefaultChannels(db, inviter.realmId) : []
  const channels = new Map([...named, ...usual].map((channel) => [channel.id, channel]))
  return {
    channels: [...channels.values()],
    groups: await findGrantableGroups(db, inviter, invitation.groupIds, now),
  }
}
