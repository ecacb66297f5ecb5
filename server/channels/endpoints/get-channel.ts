import { z } from 'zod'
import { findRealmGroups } from '#groups/queries.ts'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { invalidChannelId, requireChannel } from '../access.ts'
import { newChannelActivity } from '../activity.ts'
import { findActivity } from '../activity-queries.ts'
import { channelFields, toChannelJson } from '../channel-json.ts'

export const getChannel = endpoint({
  route: 'GET /streams/{stream_id}',
  summary: 'Get a channel by its id',
  who: 'user',
  returns: { stream: z.strictObject(channelFields) },
  refuses: [invalidChannelId],
  async handle({ db, actor, clock }, { stream_id: id }) {
    const channel = await requireChannel(viewerOf(db, actor, clock.now()), id)
    const activity = await findActivity(db, [channel], clock.now())
    const groups = await findRealmGroups(db, actor.realmId)
    return { stream: toChannelJson(channel, activity.get(id) ?? newChannelActivity, groups) }
  },
})
