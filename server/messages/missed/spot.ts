import type { Message } from '../message.ts'
import { topicKey } from '../topic.ts'

/** Where a message stands: a topic of a channel, or null between people. */
export type Spot = { channelId: number; topicKey: string } | null

export function spotOf({ channelId, topic }: Message): Spot {
  return channelId === null ? null : { channelId, topicKey: topicKey(topic) }
}
