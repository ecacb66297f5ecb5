import { z } from 'zod'
import { viewerOf } from '../../../groups/viewer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { insufficientPermission, noSuchUser, userDeactivated } from '../../../people/users/access.ts'
import { invalidChannelId, requireChannel } from '../../access.ts'
import { findSubscriptionStatuses } from '../../subscription-status-queries.ts'
import { requirePrincipals } from '../principals.ts'

export const getSubscriptionStatus = endpoint({
  route: 'GET /users/{user_id}/subscriptions/{stream_id}',
  summary: 'Check whether a user is subscribed to a channel',
  who: 'user',
  returns: { is_subscribed: z.boolean() },
  refuses: [noSuchUser, userDeactivated, insufficientPermission, invalidChannelId],
  async handle({ db, actor, clock }, { user_id: userId, stream_id: channelId }) {
    const viewer = viewerOf(db, actor, clock.now())
    await requirePrincipals(viewer, [userId])
    await requireChannel(viewer, channelId)
    const statuses = await findSubscriptionStatuses(db, userId, [channelId])
    return { is_subscribed: statuses.get(channelId) === 'subscribed' }
  },
})
