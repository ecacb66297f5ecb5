import type { Channel } from '#channels/channel.ts'
import type { User } from '#people/users/user.ts'
import { isAdministrator, isGuest } from '#rules/role.ts'

/**
 * Returns whether an imported message of the sender may link to the channel. The channel's own groups, which may still
 * be missing during an import, are not considered.
 */
export function mayReferToChannel(sender: User, channel: Channel, isSubscribed: boolean): boolean {
  if (channel.isWebPublic || isAdministrator(sender) || isSubscribed) return true
  return !channel.isPrivate && !isGuest(sender)
}
