import { announceMessage } from '../announcements.ts'
import type { Message } from '../message.ts'
import { addMessage } from '../messages.ts'
import { fits } from '../narrow.ts'
import type { ServerEvent } from './event.ts'

/** A message has arrived. */
export function takeMessage(event: ServerEvent, ownId: number): void {
  const message: Message = { ...(event['message'] as Message), flags: event['flags'] as string[] }
  addMessage(message, (narrow) => fits(narrow, message, ownId) === true)
  if (message.sender_id === ownId) return
  if (message.type === 'stream')
    announceMessage(`${String(message.display_recipient)} › ${message.subject || 'general chat'}`)
  else announceMessage(`direct messages with ${message.sender_full_name}`)
}
