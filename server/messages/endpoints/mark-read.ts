import { z } from 'zod'
import { invalidChannelId, requireChannel } from '#channels/access.ts'
import { normalizeTopic, topicKey } from '#channels/topic.ts'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { markChannelsRead } from '../flags/mark-channels-read.ts'
import { hasReceivedTopic, markAllRead, markTopicRead } from '../flags/mark-read.ts'

const noSuchTopic = refusal('BAD_REQUEST', 400, "No such topic '{topic}'", { field: 'topic_name' })

export const postMarkAllAsRead = endpoint({
  route: 'POST /mark_all_as_read',
  summary: 'Mark all messages as read',
  who: 'user',
  returns: { complete: z.boolean() },
  async handle({ transaction, actor }) {
    await transaction((tx) => markAllRead(tx, actor.realmId, actor.id))
    return { complete: true }
  },
})

export const postMarkStreamAsRead = endpoint({
  route: 'POST /mark_stream_as_read',
  summary: 'Mark all messages of a channel as read',
  who: 'user',
  params: { stream_id: z.int() },
  refuses: [invalidChannelId],
  async handle({ db, transaction, actor, clock }, params) {
    const channel = await requireChannel(viewerOf(db, actor, clock.now()), params.stream_id)
    await transaction((tx) => markChannelsRead(tx, actor.realmId, [{ userId: actor.id, channelId: channel.id }]))
    return {}
  },
})

export const postMarkTopicAsRead = endpoint({
  route: 'POST /mark_topic_as_read',
  summary: 'Mark all messages of a topic as read',
  who: 'user',
  params: { stream_id: z.int(), topic_name: z.string() },
  refuses: [invalidChannelId, noSuchTopic],
  async handle({ db, transaction, actor, clock }, params) {
    const channel = await requireChannel(viewerOf(db, actor, clock.now()), params.stream_id)
    const channelTopic = { channelId: channel.id, topicKey: topicKey(normalizeTopic(params.topic_name)) }
    if (!(await hasReceivedTopic(db, actor.id, channelTopic))) throw noSuchTopic({ topic: params.topic_name })
    await transaction((tx) => markTopicRead(tx, actor.realmId, actor.id, channelTopic))
    return {}
  },
})
