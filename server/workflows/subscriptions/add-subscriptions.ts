import { z } from 'zod'
import { channelNameCharacter, channelNameEmpty, channelNameTooLong } from '#channels/channel-name.ts'
import { descriptionTooLong } from '#channels/description.ts'
import { channelSettingParams } from '#channels/endpoints/channel-params.ts'
import { channelSizeRefusals } from '#channels/new-channel-size.ts'
import { defaultCannotBePrivate, invalidPrivacy, webPublicNotEnabled } from '#channels/privacy.ts'
import { invalidRetention, retentionParam } from '#channels/retention.ts'
import {
  invalidColor,
  noAccessToChannel,
  tooManyNewChannels,
  tooManySubscriptions,
} from '#channels/subscriptions/subscribe.ts'
import { groupSettingRefusals } from '#groups/setting-values.ts'
import { endpoint } from '#http/endpoint.ts'
import { notForGuests } from '#http/refusals.ts'
import { insufficientPermission, mustBeOwner, noSuchUser, userDeactivated } from '#people/users/access.ts'
import { dailyLimitReached } from '#people/users/daily-limits.ts'
import { isGuest } from '#rules/role.ts'
import { joinChannels } from './join-channels.ts'
import { subscribeResultFields, toSubscribeResultJson } from './subscribe-result-json.ts'
import { channelRequestParam, principalsParam } from './subscription-params.ts'

export const addSubscriptions = endpoint({
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
      joinChannels(tx, actor, {
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
          settings: {
            can_add_subscribers_group: params.can_add_subscribers_group,
            can_administer_channel_group: params.can_administer_channel_group,
            can_remove_subscribers_group: params.can_remove_subscribers_group,
            can_send_message_group: params.can_send_message_group,
            can_subscribe_group: params.can_subscribe_group,
          },
        },
      }),
    )
    const unauthorized = skipsUnauthorized ? { unauthorized: result.unauthorized.map(({ name }) => name) } : {}
    return { ...toSubscribeResultJson(result), ...unauthorized }
  },
})
