import type { Channel } from '#channels/channel.ts'
import type { DirectConversation } from './message.ts'

export type ChannelTopic = { channel: Channel; topic: string }

/** The conversation that a message belongs to: a topic of a channel, or a direct conversation. */
export type ConversationRef = ChannelTopic | { channel: null; direct: DirectConversation }
