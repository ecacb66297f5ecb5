import { z } from 'zod'
import { endpoint } from '../../../http/endpoint.ts'
import { insufficientPermission, noSuchUser, userDeactivated } from '../../../people/users/access.ts'
import { channelNameCharacter, channelNameEmpty, channelNameTooLong } from '../../channel-name.ts'
import { channelDoesNotExist } from '../access.ts'
import { leaveChannels } from '../operations/leave-channels.ts'
import { principalsParam } from './principals-param.ts'
import { toUnsubscribeResultJson, unsubscribeResultFields } from './unsubscribe-result-json.ts'

export const removeSubscriptions = endpoint({
  route: 'DELETE /users/me/subscriptions',
  summary: 'Unsubscribe from channels',
  description:
    'Everybody may leave channels and take their own bots out of them. Administrators may remove anybody; so may those whom ' +
    "a channel's settings name, as long as every channel of the request allows it. Either all of the request is done or nothing.",
  who: 'user',
  params: {
    subscriptions: z.array(z.string()).describe('Names of the channels to leave.'),
    principals: principalsParam.describe('Who leaves: user ids, or API e-mail addresses. Yourself, when omitted.'),
  },
  returns: unsubscribeResultFields,
  refuses: [
    noSuchUser,
    userDeactivated,
    channelNameEmpty,
    channelNameTooLong,
    channelNameCharacter,
    insufficientPermission,
    channelDoesNotExist,
  ],
  async handle({ transaction, actor }, { subscriptions, principals }) {
    const departures = await transaction((tx) => leaveChannels(tx, actor, subscriptions, principals))
    return toUnsubscribeResultJson(departures)
  },
})
