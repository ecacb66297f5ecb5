import { announceMessage } from '../messages/announcements.ts'
import { conversations, withMessage } from '../messages/conversations.ts'
import { tellOfMessage } from '../messages/heard.ts'
import type { Message } from '../messages/message.ts'
import { addMessage } from '../messages/messages.ts'
import { fits, isMentioned, peopleOf, spotOf } from '../messages/narrow.ts'
import { noteTopic } from '../messages/topics.ts'
import { endTyping } from '../messages/typists.ts'
import { withUnread } from '../messages/unread.ts'
import { changeUnread, mutedFinder } from '../messages/unread-messages.ts'
import { knownOrganization } from '../organization.ts'
import type { ServerEvent } from './event.ts'

/** A message has arrived. */
export function applyMessage(event: ServerEvent, ownId: number): void {
  const message: Message = { ...(event['message'] as Message), flags: event['flags'] as string[] }
  const isQuiet = isMuted(message)
  addMessage(message, (narrow) => fits(narrow, message, ownId) === true && !(isQuiet && narrow.kind === 'combined'))
  if (message.stream_id === undefined)
    conversations.set(withMessage(conversations.get(), peopleOf(message, ownId), message.id))
  else noteTopic(message.stream_id, message.subject, message.id)
  if (!message.flags.includes('read'))
    changeUnread((unread) => withUnread(unread, message.id, spotOf(message, ownId), isMentioned(message.flags)))
  endTyping(spotOf(message, ownId), message.sender_id)
  if (message.sender_id === ownId) return
  tellOfMessage(message)
  const isSilent = message.flags.includes('read') || (isQuiet && !isMentioned(message.flags))
  if (isSilent) return
  if (message.type === 'stream')
    announceMessage(`${String(message.display_recipient)} › ${message.subject || 'general chat'}`)
  else announceMessage(`direct messages with ${message.sender_full_name}`)
}

function isMuted({ stream_id, subject }: Message): boolean {
  const organization = knownOrganization()
  return stream_id !== undefined && organization !== undefined && mutedFinder(organization)(stream_id, subject)
}
