import { z } from 'zod'
import { endpoint } from '../../../http/endpoint.ts'
import { invalidChannelId } from '../../access.ts'
import * as properties from '../set-properties.ts'

export const setSubscriptionProperties = endpoint({
  route: 'POST /users/me/subscriptions/properties',
  summary: 'Change your settings of channels',
  description: 'Either all of the changes are made or none.',
  who: 'user',
  params: {
    subscription_data: z
      .array(z.object({ stream_id: z.int(), property: z.string(), value: z.union([z.boolean(), z.string()]) }))
      .describe('Each: a channel by id; `color`, `is_muted`, `pin_to_top` or a kind of notifications; its value.'),
  },
  refuses: [
    invalidChannelId,
    properties.notSubscribed,
    properties.unknownProperty,
    properties.notABoolean,
    properties.notAString,
    properties.propertyNotAColor,
  ],
  async handle({ transaction, actor }, params) {
    const changes = params.subscription_data.map(({ stream_id: channelId, ...change }) => ({ channelId, ...change }))
    await transaction((tx) => properties.setSubscriptionProperties(tx, actor, changes))
    return {}
  },
})
