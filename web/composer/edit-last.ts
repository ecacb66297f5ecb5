import { requestEdit } from '../browser/compose-requests.ts'
import { cachedMessages } from '../messages/messages.ts'
import { conversationOf, isSameTopic, type Narrow } from '../messages/narrow.ts'
import { mayEdit } from '../messages/rights.ts'
import type { Organization } from '../store/organization.ts'
import type { ComposerPage } from './destination.ts'

/**
 * Opens the edit form of the last message on the page that the user has sent and may edit. Returns false if there is
 * none.
 */
export function editLastMessage(page: ComposerPage, organization: Organization): boolean {
  const own = cachedMessages((narrow) => isOf(page, narrow)).filter(
    (message) => message.sender_id === organization.user_id && mayEdit(organization, message, Date.now() / 1000),
  )
  const here = own.filter((message) => isIn(page, conversationOf(message, organization.user_id)))
  const last = here.sort((one, other) => other.id - one.id)[0]
  return last !== undefined && requestEdit(last.id)
}

/**
 * Returns true if a timeline of this narrow can contain messages of the page's conversations. A page of kind `any`
 * shows messages of all conversations.
 */
const isOf = (page: ComposerPage, narrow: Narrow): boolean =>
  page.kind === 'any' || narrow.kind === page.kind || narrow.kind === 'channel'

function isIn(page: ComposerPage, conversation: ReturnType<typeof conversationOf>): boolean {
  if (page.kind === 'any') return true
  if (conversation.kind === 'direct')
    return page.kind === 'direct' && String(page.people) === String(conversation.people)
  if (page.kind === 'direct' || page.channelId !== conversation.channelId) return false
  return page.kind === 'channel' || isSameTopic(page.topic, conversation.topic)
}
