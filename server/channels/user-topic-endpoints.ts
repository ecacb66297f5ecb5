import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { type Call, endpoint } from '#http/endpoint.ts'
import { missingArgument } from '#http/refusals.ts'
import { refusal } from '#lib/errors.ts'
import { invalidChannelId, maySeeChannel, requireReadableChannel } from './access.ts'
import type { Channel } from './channel.ts'
import { findChannel, findChannelByName } from './queries.ts'
import { requireTopic, topicCharacter, topicKey } from './topic.ts'
import { findPolicy, setPolicy, type TopicRef, VisibilityPolicy } from './user-topics.ts'

// The endpoints that set a user's policy for a topic, in the current and the older form. A user can always remove a
// policy, even for a topic that they can no longer read.

const topicNotMuted = refusal('BAD_REQUEST', 400, 'Topic is not muted')

export const postUserTopic = endpoint({
  route: 'POST /user_topics',
  summary: 'Mute, unmute or follow a topic',
  who: 'user',
  params: {
    stream_id: z.int(),
    topic: z.string(),
    visibility_policy: z
      .union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)])
      .describe('0: like its channel; 1: muted; 2: unmuted in a muted channel; 3: followed.'),
  },
  refuses: [invalidChannelId, topicCharacter],
  async handle(call, { stream_id, topic, visibility_policy }) {
    const topicRef = toTopicRef(stream_id, topic)
    if (visibility_policy === VisibilityPolicy.inherit) await requireOwnPolicyOrReadable(call, topicRef)
    else await requireReadableChannel(viewerOf(call.db, call.actor, call.clock.now()), stream_id)
    await call.transaction((tx) => setPolicy(tx, call.actor, topicRef, visibility_policy))
    return {}
  },
})

export const patchMutedTopics = endpoint({
  route: 'PATCH /users/me/subscriptions/muted_topics',
  summary: 'Mute or unmute a topic',
  description: 'Deprecated: use `POST /user_topics`.',
  who: 'user',
  params: {
    stream_id: z.int().optional(),
    stream: z.string().optional().describe('The name of the channel, instead of `stream_id`.'),
    topic: z.string(),
    op: z.enum(['add', 'remove']),
  },
  refuses: [invalidChannelId, topicCharacter, topicNotMuted],
  async handle(call, { stream_id, stream, topic, op }) {
    const topicRef = toTopicRef(await requireChannelIdOf(call, stream_id, stream), topic)
    if (op === 'add') {
      await requireReadableChannel(viewerOf(call.db, call.actor, call.clock.now()), topicRef.channelId)
      await call.transaction((tx) => setPolicy(tx, call.actor, topicRef, VisibilityPolicy.muted))
      return {}
    }
    await requireOwnPolicyOrReadable(call, topicRef)
    await call.transaction(async (tx) => {
      if ((await findPolicy(tx.db, call.actor.id, topicRef)) !== VisibilityPolicy.muted) throw topicNotMuted()
      await setPolicy(tx, call.actor, topicRef, VisibilityPolicy.inherit)
    })
    return {}
  },
})

function toTopicRef(channelId: number, given: string): TopicRef {
  const topic = requireTopic(given)
  return { channelId, topic, topicKey: topicKey(topic) }
}

/**
 * Refuses unless the caller can read the topic or has a policy for it, so that users can remove policies for topics
 * that they can no longer read.
 */
async function requireOwnPolicyOrReadable({ db, actor, clock }: Call, topicRef: TopicRef): Promise<void> {
  const isOwn = (await findPolicy(db, actor.id, topicRef)) !== null
  if (isOwn && (await findChannel(db, actor.realmId, topicRef.channelId)) !== null) return
  await requireReadableChannel(viewerOf(db, actor, clock.now()), topicRef.channelId)
}

async function requireChannelIdOf({ db, actor, clock }: Call, id?: number, name?: string): Promise<number> {
  if (id !== undefined) return id
  if (name === undefined) throw missingArgument({ name: 'stream_id' })
  const channel: Channel | null = await findChannelByName(db, actor.realmId, name.trim())
  const isKnown = await maySeeChannel(viewerOf(db, actor, clock.now()), channel)
  if (channel === null || !isKnown) throw invalidChannelId()
  return channel.id
}
