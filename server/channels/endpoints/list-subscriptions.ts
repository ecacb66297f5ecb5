import { z } from 'zod'
import { findRealmGroups } from '#groups/queries.ts'
import { endpoint } from '#http/endpoint.ts'
import { newChannelActivity } from '../activity.ts'
import { findActivity } from '../activity-queries.ts'
import { findSubscriberIds } from '../audience-queries.ts'
import { toChannelJson } from '../channel-json.ts'
import { findChannelsById } from '../queries.ts'
import { findSubscriptions } from '../subscriptions/queries.ts'
import { subscriptionFields, toSubscriptionJson } from '../subscriptions/subscription.ts'

export const listSubscriptions = endpoint({
  route: 'GET /users/me/subscriptions',
  summary: 'List the channels you are subscribed to',
  description: 'Archived channels are left out.',
  who: 'user',
  params: {
    include_subscribers: z.boolean().default(false).describe('Whether to list the subscribers of each channel.'),
  },
  returns: { subscriptions: z.array(z.strictObject(subscriptionFields)) },
  async handle({ db, actor, clock }, params) {
    const subscriptions = await findSubscriptions(db, actor.id)
    const ids = subscriptions.map((subscription) => subscription.channelId)
    const channels = (await findChannelsById(db, actor.realmId, ids)).filter((channel) => channel.archivedAt === null)
    const activity = await findActivity(db, channels, clock.now())
    const groups = await findRealmGroups(db, actor.realmId)
    const subscribers = params.include_subscribers ? await findSubscriberIds(db, ids) : null
    const byId = new Map(channels.map((channel) => [channel.id, channel]))
    return {
      subscriptions: subscriptions.flatMap((subscription) => {
        const channel = byId.get(subscription.channelId)
        if (channel === undefined) return []
        const json = toChannelJson(channel, activity.get(channel.id) ?? newChannelActivity, groups)
        const peers = subscribers === null ? undefined : [...(subscribers.get(channel.id) ?? [])]
        return toSubscriptionJson(subscription, json, peers)
      }),
    }
  },
})
