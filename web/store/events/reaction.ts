import type { Message } from '../messages/message.ts'
import { updateMessages } from '../messages/messages.ts'
import type { ServerEvent } from './event.ts'

type Reaction = Message['reactions'][number]

/** Somebody reacted to a message, or took their reaction back. */
export function applyReaction(event: ServerEvent): void {
  const { op, message_id, ...told } = event as unknown as Reaction & { op: 'add' | 'remove'; message_id: number }
  const { emoji_name, emoji_code, reaction_type, user_id } = told
  updateMessages([message_id], (message) => {
    const others = message.reactions.filter(
      (one) => !(one.user_id === user_id && one.emoji_code === emoji_code && one.reaction_type === reaction_type),
    )
    const reaction = { emoji_name, emoji_code, reaction_type, user_id }
    return { ...message, reactions: op === 'add' ? [...others, reaction] : others }
  })
}
