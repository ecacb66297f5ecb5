import { t } from '../../text/t.ts'
import { announceMessage } from '../messages/announcements.ts'
import { emitMessageArrived } from '../messages/arrived-messages.ts'
import { directConversations, withMessage } from '../messages/direct-conversations.ts'
import { markSeen } from '../messages/mark-read.ts'
import { isOwnNotice, type Message } from '../messages/message.ts'
import { addMessage } from '../messages/messages.ts'
import { conversationOf, isMentioned, matchesNarrow, peopleOf } from '../messages/narrow.ts'
import { topicTitle } from '../messages/topic-title.ts'
import { addTopic } from '../messages/topics.ts'
import { removeTypist } from '../messages/typists.ts'
import { withUnread } from '../messages/unread.ts'
import { mutedCheck, updateUnread } from '../messages/unread-messages.ts'
import { currentOrganization } from '../organization.ts'
import { confirmOutgoing } from '../outgoing/send-outgoing.ts'
import type { EventOf } from './event.ts'

export function applyMessage(event: EventOf<'message'>, ownId: number): void {
  const organization = currentOrganization()
  const isOwn = !event.flags.includes('read') && organization !== undefined && isOwnNotice(event.message, organization)
  const message: Message = { ...event.message, flags: isOwn ? [...event.flags, 'read'] : event.flags }
  if (isOwn) markSeen([message.id])
  const isQuiet = isMuted(message)
  if (event.local_message_id !== undefined) confirmOutgoing(event.local_message_id, message.id)
  addMessage(
    message,
    (narrow) => matchesNarrow(narrow, message, ownId) === true && !(isQuiet && narrow.kind === 'combined'),
  )
  if (message.stream_id === undefined)
    directConversations.set(withMessage(directConversations.get(), peopleOf(message, ownId), message.id))
  else addTopic(message.stream_id, message.subject, message.id)
  if (!message.flags.includes('read'))
    updateUnread((unread) => withUnread(unread, message.id, conversationOf(message, ownId), isMentioned(message.flags)))
  removeTypist(conversationOf(message, ownId), message.sender_id)
  if (message.sender_id === ownId) return
  emitMessageArrived(message)
  const isSilent = message.flags.includes('read') || (isQuiet && !isMentioned(message.flags))
  if (isSilent) return
  if (message.type === 'stream')
    announceMessage(`${String(message.display_recipient)} › ${topicTitle(message.subject)}`)
  else announceMessage(t('direct messages with {name}', { name: message.sender_full_name }))
}

function isMuted({ stream_id, subject }: Message): boolean {
  const organization = currentOrganization()
  return stream_id !== undefined && organization !== undefined && mutedCheck(organization)(stream_id, subject)
}
