import { z } from 'zod'
import { endpoint } from '../../../http/endpoint.ts'
import { insufficientPermission, noSuchUser, userDeactivated } from '../../../people/users/access.ts'
import { invalidChannelId, requireChannel } from '../../access.ts'
import { findSubscriptionStatuses } from '../../subscription-status-queries.ts'
import { requirePrincipals } from '../principals.ts'

export const getSubscriptionStatus = endpoint({
  route: 'GET /users/{user_id}/subscriptions/{stream_id}',
  summary: 'Get whether a user is subscribed to a channel',
  who: 'user',
  returns: { is_subscribed: z.boolean() },
  refuses: [noSuchUser, userDeactivated, insufficientPermission, invalidChannelId],
  async handle({ db, actor, clock }, { user_id: userId, stream_id: channelId }) {
    await requirePrincipals(db, actor, [userId], clock.now())
    await requireChannel(db, actor, channelId, clock.now())
    const statuses = await findSubscriptionStatuses(db, userId, [channelId])
    return { is_subscribed: statuses.get(channelId) === 'subscribed' }
  },
})
