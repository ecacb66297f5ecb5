import { z } from 'zod'
import { defaultCannotBePrivate, invalidPrivacy, webPublicNotEnabled } from '#channels/access.ts'
import {
  type Channel,
  channelNameCharacter,
  channelNameEmpty,
  channelNameTooLong,
  descriptionTooLong,
  mapChannelSettings,
} from '#channels/channel.ts'
import { channelSizeRefusals } from '#channels/create-channel.ts'
import { channelSettingParams } from '#channels/endpoints.ts'
import { findChannel } from '#channels/queries.ts'
import {
  invalidColor,
  noAccessToChannel,
  type SubscribeRequest,
  type SubscribeResult,
  type SubscribeUsersResult,
  subscribe,
  tooManyNewChannels,
  tooManySubscriptions,
} from '#channels/subscribe.ts'
import type { UserChannelPair } from '#channels/subscriptions.ts'
import { groupSettingRefusals } from '#groups/access.ts'
import { endpoint } from '#http/endpoint.ts'
import { notForGuests } from '#http/refusals.ts'
import { channelLinkMarkdown, silentMention } from '#messages/notice-markdown.ts'
import { prepareTopicNotice } from '#messages/prepare-message.ts'
import { sendMessage } from '#messages/send-message.ts'
import { insufficientPermission, mustBeOwner, noSuchUser, userDeactivated } from '#people/access.ts'
import { dailyLimitReached } from '#people/creation-limits.ts'
import type { Actor } from '#people/users.ts'
import { invalidRetention, retentionParam } from '#realms/message-retention.ts'
import { isGuest } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import { channelList, notifyOthers, principalsParam } from './subscriptions-of-others.ts'

// The call that subscribes users to channels: channels/subscribe.ts does it, and here the users whom another user
// subscribed are notified, and new channels announced.

const namesByUser = z.record(z.string(), z.array(z.string()))

export const subscribeResultFields = {
  subscribed: namesByUser.describe('Names of the channels joined, by user id.'),
  already_subscribed: namesByUser.describe('Names of the channels that users were already subscribed to, by user id.'),
}

type NamesByUser = Record<string, string[]>

export function toSubscribeResultJson({ subscribed, alreadySubscribed: already }: SubscribeUsersResult): {
  subscribed: NamesByUser
  already_subscribed: NamesByUser
} {
  return { subscribed: toNames(subscribed), already_subscribed: toNames(already) }
}

function toNames(pairs: readonly UserChannelPair[]): NamesByUser {
  const names: NamesByUser = {}
  for (const { user, channel } of pairs) {
    names[user.id] ??= []
    names[user.id]?.push(channel.name)
  }
  return names
}

const TOPIC = 'new channels'

/**
 * Posts a message by the notification bot about the channels that the actor created. The message is in the
 * organization's channel for such announcements, and unread for everyone but the actor. Private channels are not
 * announced. Does nothing if the organization has no such channel.
 */
async function announceChannels(tx: Transaction, actor: Actor, created: readonly Channel[]): Promise<void> {
  const links = created.filter((channel) => !channel.isPrivate).map(channelLinkMarkdown)
  if (links.length === 0) return
  const { new_stream_announcements_stream_id: id } = actor.realm.settings
  const channel = await findChannel(tx.db, actor.realmId, id)
  if (channel?.archivedAt !== null) return
  const announced = links.length === 1 ? `a new channel ${links[0]}` : `the following channels: ${links.join(', ')}`
  const content = `${silentMention(actor)} created ${announced}.`
  const notice = await prepareTopicNotice(tx.db, actor.realm, { channel, topic: TOPIC, content })
  await sendMessage(tx, { ...notice, isUnreadFor: (userId) => userId !== actor.id })
}

type JoinRequest = Omit<SubscribeRequest, 'sendsMessages'> & {
  /** True if new public channels are announced. */
  announces: boolean
}

/**
 * Subscribes users to channels, and announces new channels. Notifies users whom someone else added to existing
 * channels.
 */
export async function subscribeAndAnnounce(
  tx: Transaction,
  actor: Actor,
  { announces, ...request }: JoinRequest,
): Promise<SubscribeResult> {
  const result = await subscribe(tx, actor, { ...request, sendsMessages: announces })
  const { subscribed, created } = result
  const toExistingChannels = subscribed.filter(({ channel }) => !created.includes(channel))
  const mention = `@**${actor.fullName}|${actor.id}**`
  await notifyOthers(tx, actor, toExistingChannels, { mention, write: subscriptionNotice, isMailed: true })
  if (announces) await announceChannels(tx, actor, created)
  return result
}

const subscriptionNotice = (who: string, channels: readonly Channel[]) =>
  `${who} subscribed you to ${channelList(channels)}`

/** A channel to subscribe to. */
export const channelRequestParam = z.object({
  name: z.string(),
  description: z.string().optional().describe('The description of the channel, if it is created.'),
  color: z.string().optional().describe('The color for users who were never subscribed: `#rrggbb`.'),
})

export const subscribeEndpoint = endpoint({
  route: 'POST /users/me/subscriptions',
  summary: 'Subscribe to channels, and create those that do not exist',
  description: 'Users who are added to existing channels by someone else get a direct message.',
  who: 'user',
  params: {
    subscriptions: z.array(channelRequestParam).describe('The channels by name.'),
    principals: principalsParam.describe(
      'The users to subscribe: user ids or API email addresses. Yourself by default.',
    ),
    authorization_errors_fatal: z
      .boolean()
      .default(true)
      .describe(
        'Whether the request fails if you may not join one of the channels. Otherwise, such channels are skipped.',
      ),
    announce: z
      .boolean()
      .default(false)
      .describe('Whether new public channels are announced, if the organization has a channel for announcements.'),
    invite_only: z.boolean().default(false).describe('Whether new channels are private.'),
    is_web_public: z.boolean().default(false).describe('Whether new channels are web-public.'),
    is_default_stream: z.boolean().default(false).describe('Whether new users are subscribed to the new channels.'),
    history_public_to_subscribers: z
      .boolean()
      .optional()
      .describe(
        'Whether later subscribers of new channels can read earlier messages. By default, not in private channels.',
      ),
    message_retention_days: retentionParam.optional().describe('Days, "unlimited" or "realm_default".'),
    ...channelSettingParams,
  },
  returns: { ...subscribeResultFields, unauthorized: z.array(z.string()).optional() },
  refuses: [
    notForGuests,
    noSuchUser,
    userDeactivated,
    insufficientPermission,
    mustBeOwner,
    channelNameEmpty,
    channelNameTooLong,
    channelNameCharacter,
    descriptionTooLong,
    ...channelSizeRefusals,
    invalidColor,
    invalidPrivacy,
    webPublicNotEnabled,
    defaultCannotBePrivate,
    invalidRetention,
    ...groupSettingRefusals,
    tooManySubscriptions,
    tooManyNewChannels,
    dailyLimitReached,
    noAccessToChannel,
  ],
  async handle({ transaction, actor }, params) {
    if (isGuest(actor)) throw notForGuests()
    const skipsUnauthorized = !params.authorization_errors_fatal
    const result = await transaction((tx) =>
      subscribeAndAnnounce(tx, actor, {
        channelRequests: params.subscriptions,
        principals: params.principals,
        skipsUnauthorized,
        announces: params.announce,
        newChannels: {
          privacy: {
            isPrivate: params.invite_only,
            isWebPublic: params.is_web_public,
            isHistoryShared: params.history_public_to_subscribers,
          },
          isDefault: params.is_default_stream,
          messageRetentionDays: params.message_retention_days,
          settings: mapChannelSettings((name) => params[name]),
        },
      }),
    )
    const unauthorized = skipsUnauthorized ? { unauthorized: result.unauthorized.map(({ name }) => name) } : {}
    return { ...toSubscribeResultJson(result), ...unauthorized }
  },
})
