import { z } from 'zod'
import { channelFields } from '#channels/channel.ts'
import { subscriptionFields } from '#channels/subscriptions.ts'
import { event } from './event.ts'
import { exampleChannel } from './examples.ts'

const ids = () => z.array(z.int())

const peerFields = () => ({ stream_ids: ids(), user_ids: ids() })

const archivedClients = 'Clients without the capability `archived_channels` receive nothing about archived channels.'

const isArchived = () => ({ is_archived: z.literal(true).optional().describe('The channel is archived.') })

/**
 * The mark of an event that only clients without support for archived channels receive. They removed the channel when
 * it was archived.
 */
const isRestored = () => ({
  is_restored: z.literal(true).optional().describe('The channel is no longer archived; the subscription is the same.'),
})

export const channelEvents = {
  'stream/create': event({
    description: 'Channels were created, or became visible to the user.',
    audience: 'Users who can see the channels.',
    clients: `${archivedClients} They receive it when a channel is no longer archived, too.`,
    fields: () => ({ streams: z.array(z.strictObject(channelFields)) }),
    example: { streams: [exampleChannel] },
  }),
  'stream/delete': event({
    description: 'Channels are no longer visible to the user.',
    audience: 'Users who could see the channels before.',
    clients: 'Clients without the capability `archived_channels` receive it when a channel is archived, too.',
    fields: () => ({ streams: z.array(z.strictObject({ stream_id: z.int() })), stream_ids: ids() }),
    example: { streams: [{ stream_id: 4 }], stream_ids: [4] },
  }),
  'stream/update': event({
    description: 'A property of a channel changed.',
    audience: 'Users who can see the channel.',
    clients: archivedClients,
    fields: () => ({
      stream_id: z.int(),
      name: z.string().describe('The name of the channel; the old one when the name changed.'),
      property: z.enum(Object.keys(channelFields) as (keyof typeof channelFields)[]),
      value: z.unknown(),
      rendered_description: z.string().optional(),
      history_public_to_subscribers: z.boolean().optional(),
      is_web_public: z.boolean().optional(),
    }),
    logged: () => ({
      ...isArchived(),
      restored: z.strictObject(channelFields).optional().describe('The channel that is no longer archived.'),
    }),
    example: {
      stream_id: 4,
      name: 'design',
      property: 'description',
      value: 'All *design*',
      rendered_description: '<p>All <em>design</em></p>',
    },
  }),
  default_streams: event({
    description: 'The channels that new users are subscribed to changed.',
    audience: 'All users but guests.',
    fields: () => ({ default_streams: ids() }),
    example: { default_streams: [4, 7] },
  }),
  'subscription/add': event({
    description: 'The user was subscribed to channels.',
    audience: 'The user.',
    clients:
      `${archivedClients} Clients without the capability \`notification_settings_null\` receive the user's own settings in ` +
      'place of null.',
    fields: () => ({ subscriptions: z.array(z.strictObject(subscriptionFields)) }),
    logged: () => ({
      ...isRestored(),
      inherited: z
        .strictObject({
          desktop_notifications: z.boolean(),
          audible_notifications: z.boolean(),
          push_notifications: z.boolean(),
          email_notifications: z.boolean(),
        })
        .describe("The user's own settings, for notifications that a subscription leaves unset."),
    }),
    example: {
      subscriptions: [
        {
          ...exampleChannel,
          color: '#5b8def',
          is_muted: false,
          in_home_view: true,
          pin_to_top: false,
          desktop_notifications: null,
          audible_notifications: null,
          push_notifications: null,
          email_notifications: null,
          wildcard_mentions_notify: null,
          subscribers: [10, 11],
        },
      ],
    },
  }),
  'subscription/remove': event({
    description: 'The user was unsubscribed from channels.',
    audience: 'The user.',
    fields: () => ({ subscriptions: z.array(z.strictObject({ name: z.string(), stream_id: z.int() })) }),
    example: { subscriptions: [{ name: 'design', stream_id: 4 }] },
  }),
  'subscription/update': event({
    description: 'The user changed a setting of one of their subscriptions.',
    audience: 'The user.',
    clients: archivedClients,
    fields: () => ({
      stream_id: z.int(),
      property: z.string(),
      value: z.union([z.boolean(), z.string(), z.null()]),
    }),
    logged: isArchived,
    example: { stream_id: 4, property: 'pin_to_top', value: true },
  }),
  'subscription/peer_add': event({
    description: 'Other users were subscribed to channels.',
    audience: 'Users who can see the subscribers of the channels.',
    fields: peerFields,
    logged: isRestored,
    example: { stream_ids: [4], user_ids: [11, 12] },
  }),
  'subscription/peer_remove': event({
    description: 'Other users were unsubscribed from channels.',
    audience: 'Users who can see the subscribers of the channels.',
    fields: peerFields,
    example: { stream_ids: [4], user_ids: [11, 12] },
  }),
  user_topic: event({
    description: 'The user muted, unmuted or followed a topic, or reset it.',
    audience: 'The user.',
    fields: () => ({
      stream_id: z.int(),
      topic_name: z.string(),
      last_updated: z.int(),
      visibility_policy: z.int().describe('0: like its channel; 1: muted; 2: unmuted in a muted channel; 3: followed.'),
    }),
    example: { stream_id: 4, topic_name: 'logo', last_updated: 1893837600, visibility_policy: 3 },
  }),
  muted_topics: event({
    description: 'The topics that the user mutes changed.',
    audience: 'The user.',
    clients: 'Clients that list `user_topic` among their event types do not receive it.',
    fields: () => ({
      muted_topics: z.array(z.tuple([z.string(), z.string(), z.int()])).describe('Channel name, topic and time.'),
    }),
    example: { muted_topics: [['design', 'logo', 1893837600]] },
  }),
} as const
