import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { noSuchUser, requireUser, userDeactivated } from '#people/users/access.ts'
import { isVisible } from '#people/users/user.ts'
import { invalidChannelId, requireChannel } from '../access.ts'
import { findSubscriptionStatuses } from '../subscription-status-queries.ts'

export const getSubscriptionStatus = endpoint({
  route: 'GET /users/{user_id}/subscriptions/{stream_id}',
  summary: 'Check whether a user is subscribed to a channel',
  who: 'user',
  returns: { is_subscribed: z.boolean() },
  refuses: [noSuchUser, userDeactivated, invalidChannelId],
  async handle({ db, actor, clock }, { user_id: userId, stream_id: channelId }) {
    const viewer = viewerOf(db, actor, clock.now())
    const user = await requireUser(db, actor, userId)
    if (!isVisible(await viewer.visibleIds(), user)) throw noSuchUser()
    if (user.deactivatedAt !== null) throw userDeactivated()
    await requireChannel(viewer, channelId)
    const statuses = await findSubscriptionStatuses(db, userId, [channelId])
    return { is_subscribed: statuses.get(channelId) === 'subscribed' }
  },
})
