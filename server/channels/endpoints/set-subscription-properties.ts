import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { textOrJson } from '#http/params.ts'
import { invalidChannelId } from '../access.ts'
import * as properties from '../subscriptions/set-properties.ts'

const propertyRefusals = [
  invalidChannelId,
  properties.notSubscribed,
  properties.unknownProperty,
  properties.notABoolean,
  properties.notAString,
  properties.propertyNotAColor,
]

export const setSubscriptionPropertyEndpoint = endpoint({
  route: 'PATCH /users/me/subscriptions/{stream_id}',
  summary: 'Change a property of one of your subscriptions',
  description: 'Deprecated: use `POST /users/me/subscriptions/properties`.',
  who: 'user',
  params: { property: z.string(), value: textOrJson(z.string(), z.boolean()) },
  refuses: propertyRefusals,
  async handle({ transaction, actor }, { stream_id: channelId, property, value: text }) {
    const value = text === 'true' || text === 'false' ? text === 'true' : text
    await transaction((tx) => properties.setSubscriptionProperties(tx, actor, [{ channelId, property, value }]))
    return {}
  },
})

export const setSubscriptionPropertiesEndpoint = endpoint({
  route: 'POST /users/me/subscriptions/properties',
  summary: 'Change the properties of your subscriptions',
  description: 'If any change is refused, nothing is changed.',
  who: 'user',
  params: {
    subscription_data: z
      .array(z.object({ stream_id: z.int(), property: z.string(), value: z.union([z.boolean(), z.string()]) }))
      .describe(
        'Each has the id of a channel, a property (`color`, `is_muted`, `pin_to_top` or a notification setting) ' +
          'and its value.',
      ),
  },
  refuses: propertyRefusals,
  async handle({ transaction, actor }, params) {
    const changes = params.subscription_data.map(({ stream_id: channelId, ...change }) => ({ channelId, ...change }))
    await transaction((tx) => properties.setSubscriptionProperties(tx, actor, changes))
    return {}
  },
})
