import { z } from 'zod'
import { channelDoesNotExist } from '#channels/access.ts'
import { channelNameCharacter, channelNameEmpty, channelNameTooLong, descriptionTooLong } from '#channels/channel.ts'
import { channelSizeRefusals } from '#channels/create-channel.ts'
import { lockChannelsByNameKey } from '#channels/queries.ts'
import {
  invalidColor,
  noAccessToChannel,
  subscribe,
  tooManyNewChannels,
  tooManySubscriptions,
} from '#channels/subscribe.ts'
import { endpoint } from '#http/endpoint.ts'
import { notForGuests } from '#http/refusals.ts'
import { refusal } from '#lib/errors.ts'
import { trimWhitespace } from '#lib/text.ts'
import { insufficientPermission } from '#people/access.ts'
import { dailyLimitReached } from '#people/creation-limits.ts'
import { isGuest } from '#rules/role.ts'
import { channelRequestParam, subscribeResultFields, toSubscribeResultJson } from './subscribe-and-announce.ts'
import { toUnsubscribeResultJson, unsubscribeAndNotify, unsubscribeResultFields } from './unsubscribe-and-notify.ts'

// The call that subscribes to some channels and leaves others, in one transaction.

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
      const unsubscribed = await unsubscribeAndNotify(tx, actor, params.delete)
      return { ...toSubscribeResultJson(subscribed), ...toUnsubscribeResultJson(unsubscribed) }
    })
  },
})
