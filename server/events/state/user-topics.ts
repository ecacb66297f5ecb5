import { z } from 'zod'
import { displayTopic, topicKey } from '#channels/topic.ts'
import { findUserTopics } from '#channels/user-topics/queries.ts'
import {
  toMutedTopicsJson,
  toUserTopicJson,
  type UserTopic,
  VisibilityPolicy,
} from '#channels/user-topics/user-topic.ts'
import { findKnownChannels, findSubscribedChannels } from './channels.ts'
import { oncePerState, type StateScope, stateSlice } from './slice.ts'

/** Returns the user's policies for topics in channels that they can see. */
const findPolicies = oncePerState(async (scope) => {
  const knownIds = new Set((await findKnownChannels(scope)).map(({ json }) => json.stream_id))
  return (await findUserTopics(scope.db, scope.actor.id)).filter((one) => knownIds.has(one.channelId))
})

/** Returns the topics for which the user has a policy. The empty topic has the name that the client supports. */
async function findTopics(scope: StateScope): Promise<UserTopic[]> {
  const { allowsEmptyTopic } = scope.form
  return (await findPolicies(scope)).map((one) => ({ ...one, topic: displayTopic(one.topic, allowsEmptyTopic) }))
}

export const userTopicSlice = stateSlice({
  types: ['user_topic'],
  returns: {
    user_topics: z.array(
      z.strictObject({
        stream_id: z.int(),
        topic_name: z.string(),
        last_updated: z.int(),
        visibility_policy: z.int(),
      }),
    ),
  },
  async fetch(scope) {
    return { user_topics: (await findTopics(scope)).map(toUserTopicJson) }
  },
})

export const mutedTopicSlice = stateSlice({
  types: ['muted_topics'],
  returns: {
    muted_topics: z
      .array(z.tuple([z.string(), z.string(), z.int()]))
      .describe('Channel, topic and time. For clients that do not name `user_topic`.'),
  },
  async fetch(scope) {
    return scope.names('user_topic') ? {} : { muted_topics: toMutedTopicsJson(await findTopics(scope)) }
  },
})

/** Returns a function that checks whether the user mutes a topic of a subscribed channel. */
export async function mutedTopicFinder(scope: StateScope): Promise<(channelId: number, topic: string) => boolean> {
  const policies = new Map(
    (await findPolicies(scope)).map((one) => [`${one.channelId} ${topicKey(one.topic)}`, one.visibilityPolicy]),
  )
  const channels = await findSubscribedChannels(scope)
  return (channelId, topic) => {
    const policy = policies.get(`${channelId} ${topicKey(topic)}`)
    if (policy !== undefined) return policy === VisibilityPolicy.muted
    return channels.get(channelId)?.subscription.isMuted ?? false
  }
}
