import { refreshTimelines, updateMessages } from '../messages/messages.ts'
import type { EventOf } from './event.ts'

export function applyReaction(event: EventOf<'reaction'>): void {
  const { op, message_id, emoji_name, emoji_code, reaction_type, user_id } = event
  updateMessages([message_id], (message) => {
    const others = message.reactions.filter(
      (one) => !(one.user_id === user_id && one.emoji_code === emoji_code && one.reaction_type === reaction_type),
    )
    const reaction = { emoji_name, emoji_code, reaction_type, user_id }
    return { ...message, reactions: op === 'add' ? [...others, reaction] : others }
  })
  // The first reaction to a message adds the message to this feed, and removing the last reaction removes the message.
  refreshTimelines(({ kind }) => kind === 'reactions')
}
