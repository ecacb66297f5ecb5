import type { Channel } from '../../channels/channel.ts'

/** Which messages of the topic move: one, it and those after it, or all. */
export const propagateModes = ['change_one', 'change_later', 'change_all'] as const

export type PropagateMode = (typeof propagateModes)[number]

export type Thread = { channel: Channel; topic: string }

/** A move of messages to another topic, another channel, or both. */
export type Move = {
  from: Thread
  to: Thread
  mode: PropagateMode
  notifiesOldThread: boolean
  notifiesNewThread: boolean
}

/** Whether the messages come to another channel. */
export function changesChannel({ from, to }: Pick<Move, 'from' | 'to'>): boolean {
  return from.channel.id !== to.channel.id
}
