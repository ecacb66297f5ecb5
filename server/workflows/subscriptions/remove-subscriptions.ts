import { z } from 'zod'
import { channelNameCharacter, channelNameEmpty, channelNameTooLong } from '#channels/channel-name.ts'
import { channelDoesNotExist } from '#channels/subscriptions/access.ts'
import { endpoint } from '#http/endpoint.ts'
import { insufficientPermission, noSuchUser, userDeactivated } from '#people/users/access.ts'
import { leaveChannels } from './leave-channels.ts'
import { principalsParam } from './subscription-params.ts'
import { toUnsubscribeResultJson, unsubscribeResultFields } from './unsubscribe-result-json.ts'

export const removeSubscriptions = endpoint({
  route: 'DELETE /users/me/subscriptions',
  summary: 'Unsubscribe from channels',
  description:
    'Everyone can leave channels and remove their own bots. Administrators can remove any user, and so can ' +
    "users named in a channel's settings, if every channel of the request permits it. If anything is refused, " +
    'nothing is changed.',
  who: 'user',
  params: {
    subscriptions: z.array(z.string()).describe('Names of the channels to leave.'),
    principals: principalsParam.describe(
      'The users to unsubscribe: user ids or API email addresses. Yourself by default.',
    ),
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
    const result = await transaction((tx) => leaveChannels(tx, actor, subscriptions, principals))
    return toUnsubscribeResultJson(result)
  },
})
