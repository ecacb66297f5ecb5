import type { Channel } from '#channels/channel.ts'
import { findDefaultChannels } from '#channels/default-channel-queries.ts'
import type { Group } from '#groups/group.ts'
import { viewerOf } from '#groups/viewer.ts'
import { findGrantableChannels, findGrantableGroups } from '#invitations/access.ts'
import type { Invitation } from '#invitations/invitation.ts'
import type { Actor } from '#people/users/user.ts'
import type { Db } from '#storage/storage.ts'

/** The channels and groups that the new account joins. */
export type InvitationGrants = { channels: Channel[]; groups: Group[] }

/**
 * Returns the channels and groups of the invitation that still exist and that the inviter may still grant. Also returns
 * the current default channels, if the invitation includes them.
 */
export async function findGrants(
  db: Db,
  inviter: Actor,
  invitation: Invitation,
  now: number,
): Promise<InvitationGrants> {
  const viewer = viewerOf(db, inviter, now)
  const ownChannels = await findGrantableChannels(viewer, invitation.channelIds)
  const defaultChannels = invitation.includesDefaultChannels ? await findDefaultChannels(db, inviter.realmId) : []
  const channels = new Map([...ownChannels, ...defaultChannels].map((channel) => [channel.id, channel]))
  return {
    channels: [...channels.values()],
    groups: await findGrantableGroups(viewer, invitation.groupIds),
  }
}
