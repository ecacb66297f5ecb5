import { directConversations } from '../messages/conversations.ts'
import { isInSetting } from '../store/membership.ts'
import type { Organization } from '../store/organization.ts'
import { peopleFinder } from '../store/people.ts'
import { t } from '../text/t.ts'
import type { Destination } from './destination.ts'

/**
 * Returns the reason why the user can't send messages to the destination; null if they can, or if the recipients are
 * not chosen.
 */
export function postingProblem(organization: Organization, destination: Destination): string | null {
  return destination.kind === 'direct'
    ? whyNoDirect(organization, destination.people)
    : whyNotInChannel(organization, destination.channelId)
}

function whyNotInChannel(organization: Organization, channelId: number | null): string | null {
  const { subscriptions, realm_user_groups, user_id } = organization
  if (channelId === null) return null
  const channel = subscriptions.find(({ stream_id }) => stream_id === channelId)
  if (channel === undefined) return t('You’re no longer subscribed to this channel.')
  if (channel.is_archived) return t('This channel is archived. Its messages stay readable, but no one can post.')
  return isInSetting(realm_user_groups, user_id, channel.can_send_message_group)
    ? null
    : t('You don’t have permission to post in #{channel}.', { channel: channel.name })
}

function whyNoDirect(organization: Organization, people: readonly number[]): string | null {
  const { realm_user_groups: groups, user_id } = organization
  const { realm_direct_message_permission_group: allowed, realm_direct_message_initiator_group: initiators } =
    organization
  const find = peopleFinder(organization)
  const others = people.filter((id) => id !== user_id)
  if (others.some((id) => find(id)?.is_active === false))
    return t('Someone in this conversation has a deactivated account.')
  if (others.every((id) => find(id)?.is_bot)) return null
  if (![user_id, ...others].some((id) => isInSetting(groups, id, allowed)))
    return t('Your organization doesn’t allow direct messages between these people.')
  const isKnown = directConversations.get().some((one) => String(one.people) === String(people))
  return isKnown || isInSetting(groups, user_id, initiators)
    ? null
    : t('You don’t have permission to start direct conversations.')
}
