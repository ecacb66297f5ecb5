import type { ChannelTopic } from '../conversation.ts'

/**
 * The messages of a topic that a move can include: only the edited message, the edited message and later ones, or all
 * messages.
 */
export const propagateModes = ['change_one', 'change_later', 'change_all'] as const

export type PropagateMode = (typeof propagateModes)[number]

/** A move of messages to another topic, another channel, or both. */
export type Move = {
  from: ChannelTopic
  to: ChannelTopic
  mode: PropagateMode
  notifiesOldTopic: boolean
  notifiesNewTopic: boolean
}

export function changesChannel({ from, to }: Pick<Move, 'from' | 'to'>): boolean {
  return from.channel.id !== to.channel.id
}
