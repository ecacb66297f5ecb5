import type { ChannelTopic } from '../conversation.ts'

/** Which messages of the topic move: one, it and those after it, or all. */
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

/** Whether the messages come to another channel. */
export function changesChannel({ from, to }: Pick<Move, 'from' | 'to'>): boolean {
  return from.channel.id !== to.channel.id
}
