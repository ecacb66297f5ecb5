import { z } from 'zod'
import { channelNameCharacter, channelNameEmpty, channelNameTooLong } from '#channels/channel-name.ts'
import { descriptionTooLong } from '#channels/description.ts'
import { channelSizeRefusals } from '#channels/new-channel-size.ts'
import { lockChannelsByNameKey } from '#channels/queries.ts'
import { channelDoesNotExist } from '#channels/subscriptions/access.ts'
import {
  invalidColor,
  noAccessToChannel,
  subscribe,
  tooManyNewChannels,
  tooManySubscriptions,
} from '#channels/subscriptions/subscribe.ts'
import { endpoint } from '#http/endpoint.ts'
import { notForGuests } from '#http/refusals.ts'
import { trimWhitespace } from '#lib/encoding/trim-whitespace.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { insufficientPermission } from '#people/users/access.ts'
import { dailyLimitReached } from '#people/users/daily-limits.ts'
import { isGuest } from '#rules/role.ts'
import { leaveChannels } from './leave-channels.ts'
import { subscribeResultFields, toSubscribeResultJson } from './subscribe-result-json.ts'
import { channelRequestParam } from './subscription-params.ts'
import { toUnsubscribeResultJson, unsubscribeResultFields } from './unsubscribe-result-json.ts'

const nothingToDo = refusal('BAD_REQUEST', 400, 'Nothing to do. Specify at least one of "add" or "delete".')

export const updateSubscriptions = endpoint({
  route: 'PATCH /users/me/subscriptions',
  summary: 'Subscribe to channels and unsubscribe from others in one request',
  who: 'user',
  params: {
    delete: z.array(z.string()).default([]).describe('Names of the channels to leave.'),
    add: z
      .array(channelRequestParam)
      .default([])
      .describe('The channels to join; those that do not exist are created.'),
  },
  returns: { ...subscribeResultFields, ...unsubscribeResultFields },
  refuses: [
    nothingToDo,
    notForGuests,
    channelNameEmpty,
    channelNameTooLong,
    channelNameCharacter,
    descriptionTooLong,
    ...channelSizeRefusals,
    invalidColor,
    insufficientPermission,
    tooManySubscriptions,
    tooManyNewChannels,
    dailyLimitReached,
    noAccessToChannel,
    channelDoesNotExist,
  ],
  async handle({ transaction, actor }, params) {
    if (params.add.length + params.delete.length === 0) throw nothingToDo()
    if (params.add.length > 0 && isGuest(actor)) throw notForGuests()
    const newChannels = { privacy: {}, isDefault: false, settings: {} }
    const namesToLeave = params.delete.map((name) => trimWhitespace(name))
    return transaction(async (tx) => {
      // Channels are locked before `subscribe` takes message ids.
      await lockChannelsByNameKey(tx, actor.realmId, namesToLeave)
      const subscribed = await subscribe(tx, actor, {
        channelRequests: params.add,
        newChannels,
        skipsUnauthorized: false,
        sendsMessages: params.delete.length > 0,
      })
      const unsubscribed = await leaveChannels(tx, actor, params.delete)
      return { ...toSubscribeResultJson(subscribed), ...toUnsubscribeResultJson(unsubscribed) }
    })
  },
})
