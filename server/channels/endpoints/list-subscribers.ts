import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { invalidChannelId, requireChannel } from '../access.ts'
import { findChannelSubscriberIds } from '../audience-queries.ts'

export const listSubscribers = endpoint({
  route: 'GET /streams/{stream_id}/members',
  summary: 'List the subscribers of a channel',
  who: 'user',
  returns: { subscribers: z.array(z.int()).describe('Ids of active subscribers, in ascending order.') },
  refuses: [invalidChannelId],
  async handle({ db, actor, clock }, { stream_id: id }) {
    const channel = await requireChannel(viewerOf(db, actor, clock.now()), id)
    return { subscribers: [...(await findChannelSubscriberIds(db, channel.id))] }
  },
})
