import { cachedMessages } from '../../store/messages/messages.ts'
import { conversationOf, isSameTopic, type Narrow } from '../../store/messages/narrow.ts'
import type { Organization } from '../../store/organization.ts'
import { requestEdit } from '../../store/page/edit-request.ts'
import { mayEdit } from '../message/rights.ts'
import type { ComposerPlace } from './destination.ts'

/** Opens the edit form of the user's last message on the page; returns false if there is none that they may edit. */
export function editLastMessage(place: ComposerPlace, organization: Organization): boolean {
  const own = cachedMessages((narrow) => isOf(place, narrow)).filter(
    (message) => message.sender_id === organization.user_id && mayEdit(organization, message, Date.now() / 1000),
  )
  const here = own.filter((message) => isIn(place, conversationOf(message, organization.user_id)))
  const last = here.sort((one, other) => other.id - one.id)[0]
  return last !== undefined && requestEdit(last.id)
}

/** Returns true if the narrow may have messages of the page; feeds have messages of all conversations. */
const isOf = (place: ComposerPlace, narrow: Narrow): boolean =>
  place.kind === 'any' || narrow.kind === place.kind || narrow.kind === 'channel'

function isIn(place: ComposerPlace, conversation: ReturnType<typeof conversationOf>): boolean {
  if (place.kind === 'any') return true
  if (conversation.kind === 'direct')
    return place.kind === 'direct' && String(place.people) === String(conversation.people)
  if (place.kind === 'direct' || place.channelId !== conversation.channelId) return false
  return place.kind === 'channel' || isSameTopic(place.topic, conversation.topic)
}
