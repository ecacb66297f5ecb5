import { z } from 'zod'
import { findRealmGroups } from '#groups/queries.ts'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { newChannelActivity } from '../activity.ts'
import { findActivity } from '../activity-queries.ts'
import { countSubscribers } from '../audience-queries.ts'
import { channelFields, toChannelJson } from '../channel-json.ts'
import { findDefaultChannelIds } from '../default-channel-queries.ts'
import { findFilteredChannels } from '../list-channels.ts'

const flag = (fallback: boolean, meaning: string) => z.boolean().default(fallback).describe(meaning)

export const listChannels = endpoint({
  route: 'GET /streams',
  summary: 'List channels',
  description: 'Each filter adds channels. Channels that you may not see are left out. Sorted by name.',
  who: 'user',
  params: {
    include_public: flag(true, 'Whether to list public channels. Guests only get those that they are subscribed to.'),
    include_web_public: flag(false, 'Whether to list web-public channels.'),
    include_subscribed: flag(true, 'Whether to list the channels that you are subscribed to.'),
    exclude_archived: flag(true, 'Whether to leave out archived channels.'),
    include_all_active: flag(false, 'An older name for `include_all` together with `exclude_archived`.'),
    include_all: flag(false, 'Whether to list all channels that you may see.'),
    include_default: flag(false, 'Whether to list default channels, and to include `is_default` in every channel.'),
    include_owner_subscribed: flag(
      false,
      'Whether to list the channels that your owner is subscribed to, if you are a bot.',
    ),
    include_can_access_content: flag(false, 'Whether to list all channels that you can read.'),
    include_subscriber_counts: flag(false, 'Whether to include `subscriber_count` in every channel.'),
  },
  returns: {
    streams: z.array(
      z.strictObject({
        ...channelFields,
        is_default: z.boolean().optional(),
        subscriber_count: z.int().optional().describe('The number of active subscribers.'),
      }),
    ),
  },
  async handle({ db, actor, clock }, params) {
    const now = clock.now()
    const channels = await findFilteredChannels(viewerOf(db, actor, now), {
      public: params.include_public,
      webPublic: params.include_web_public,
      subscribed: params.include_subscribed,
      archived: !params.exclude_archived && !params.include_all_active,
      all: params.include_all || params.include_all_active,
      default: params.include_default,
      ownerSubscribed: params.include_owner_subscribed,
      readable: params.include_can_access_content,
    })
    const activity = await findActivity(db, channels, now)
    const groups = await findRealmGroups(db, actor.realmId)
    const defaultIds = await findDefaultChannelIds(db, actor.realmId)
    const ids = channels.map(({ id }) => id)
    const counts = params.include_subscriber_counts ? await countSubscribers(db, ids) : null
    return {
      streams: channels.map((channel) => ({
        ...toChannelJson(channel, activity.get(channel.id) ?? newChannelActivity, groups),
        ...(params.include_default && { is_default: defaultIds.has(channel.id) }),
        ...(counts !== null && { subscriber_count: counts.get(channel.id) ?? 0 }),
      })),
    }
  },
})
