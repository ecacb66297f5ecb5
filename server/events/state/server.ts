import { z } from 'zod'
import { MAX_CHANNEL_NAME_LENGTH, MAX_DESCRIPTION_LENGTH } from '#channels/channel.ts'
import { EMPTY_TOPIC_DISPLAY_NAME } from '#channels/topic.ts'
import type { Settings } from '#config.ts'
import { availableCallProviders } from '#integrations/calls.ts'
import { gifRatingOptions } from '#integrations/gifs.ts'
import { canResize, thumbnailFormats } from '#lib/images.ts'
import { alwaysNull } from '#lib/protocol.ts'
import { allUnicodeEmoji } from '#markdown/emoji.ts'
import { MAX_PASSWORD_LENGTH, minPasswordLength } from '#people/password-rules.ts'
import { PING_INTERVAL } from '#presence/presence.ts'
import { realmAddress } from '#realms/realm.ts'
import { MAX_MESSAGE_LENGTH, MAX_PICTURE_MEBIBYTES, OFFLINE_AFTER } from '#rules/shared-limits.ts'
import { MAX_TOPIC_LENGTH } from '#rules/topics.ts'
import { stateSlice } from './slice.ts'

/** The path of the JSON file with the names of all Unicode emoji. */
export const EMOJI_DATA_PATH = '/static/emoji/names.json'

let text: string | undefined

/** Returns JSON with the names of all Unicode emoji by code. The canonical name of each emoji comes first. */
export function emojiDataJson(): string {
  text ??= JSON.stringify({ code_to_names: Object.fromEntries(allUnicodeEmoji()) })
  return text
}

/** Limits of strings in characters, and of files in MiB. */
const limits = {
  max_stream_name_length: MAX_CHANNEL_NAME_LENGTH,
  max_stream_description_length: MAX_DESCRIPTION_LENGTH,
  max_topic_length: MAX_TOPIC_LENGTH,
  max_message_length: MAX_MESSAGE_LENGTH,
  password_max_length: MAX_PASSWORD_LENGTH,
  password_min_guesses: 0,
  max_avatar_file_size_mib: MAX_PICTURE_MEBIBYTES,
  max_icon_file_size_mib: MAX_PICTURE_MEBIBYTES,
  max_logo_file_size_mib: MAX_PICTURE_MEBIBYTES,
}

/** Intervals of presence and typing notifications. */
const intervals = {
  server_presence_ping_interval_seconds: PING_INTERVAL,
  server_presence_offline_threshold_seconds: OFFLINE_AFTER,
  server_typing_started_expiry_period_milliseconds: 45_000,
  server_typing_stopped_wait_period_milliseconds: 12_000,
  server_typing_started_wait_period_milliseconds: 30_000,
  // This is longer than the heartbeat interval.
  event_queue_longpoll_timeout_seconds: 90,
}

/** Features that the server has or lacks, for all organizations. */
const features = {
  development_environment: false,
  server_avatar_changes_disabled: false,
  server_name_changes_disabled: false,
  server_needs_upgrade: false,
  server_inline_image_preview: true,
  server_can_summarize_topics: false,
  server_web_public_streams_enabled: true,
  settings_send_digest_emails: true,
  zulip_plan_is_not_limited: true,
}

const fieldsOf = <Name extends string, Type extends z.ZodType>(values: Record<Name, unknown>, type: Type) =>
  Object.fromEntries(Object.keys(values).map((name) => [name, type])) as Record<Name, Type>

/** The state that follows from the settings of the server alone. No event is sent when it changes. */
export const stateOfSettings = (settings: Settings) => ({
  server_inline_url_embed_preview: settings.LINK_PREVIEWS,
  password_min_length: minPasswordLength(settings),
  max_file_upload_size_mib: settings.MAX_FILE_UPLOAD_SIZE_MIB,
  server_thumbnail_formats: canResize(settings) ? [...thumbnailFormats] : [],
  server_jitsi_server_url: settings.JITSI_SERVER_URL || null,
  giphy_rating_options: gifRatingOptions(settings),
  realm_upload_quota_mib: settings.UPLOAD_QUOTA_MIB || null,
  realm_available_video_chat_providers: availableCallProviders(settings),
  realm_push_notifications_enabled: settings.PUSH_SERVICE_URL !== '',
})

export const receivesEmail = ({ MAIL_IN_DOMAIN }: Settings): boolean => MAIL_IN_DOMAIN !== ''

/** State that is the same for all organizations of the server. */
export const serverSlice = stateSlice({
  types: ['realm'],
  returns: {
    ...fieldsOf(limits, z.int()),
    ...fieldsOf(intervals, z.int()),
    ...fieldsOf(features, z.boolean()),
    server_generation: z.int().describe('The time at which the server was started.'),
    server_inline_url_embed_preview: z.boolean(),
    server_receives_email: z
      .boolean()
      .optional()
      .describe('True if channels have email addresses. Only sent to clients with the capability `parley_extensions`.'),
    password_min_length: z.int(),
    max_file_upload_size_mib: z.int(),
    realm_empty_topic_display_name: z.string().describe('The display name of the empty topic.'),
    server_emoji_data_url: z.string().describe('The URL of the names of all Unicode emoji; needs no credentials.'),
    server_thumbnail_formats: z.array(
      z.strictObject({
        name: z.string(),
        max_width: z.int(),
        max_height: z.int(),
        format: z.string(),
        animated: z.boolean(),
      }),
    ),
    server_jitsi_server_url: z.string().nullable().describe('The Jitsi server of organizations without their own.'),
    jitsi_server_url: z.string().describe('The Jitsi server of this organization, for older clients.'),
    server_min_deactivated_realm_deletion_days: alwaysNull('integer'),
    server_max_deactivated_realm_deletion_days: alwaysNull('integer'),
    giphy_rating_options: z
      .record(z.string(), z.strictObject({ id: z.int(), name: z.string() }))
      .describe('The possible values of `realm_giphy_rating`. Only `disabled` if the server has no search for GIFs.'),
    upgrade_text_for_wide_organization_logo: z.literal(''),
    realm_upload_quota_mib: z.int().nullable().describe('Null when there is no limit.'),
    realm_available_video_chat_providers: z.record(z.string(), z.strictObject({ id: z.int(), name: z.string() })),
    realm_push_notifications_enabled: z.boolean(),
  },
  fetch: ({ db, actor, startedAt, form }) => ({
    server_generation: startedAt,
    ...limits,
    ...intervals,
    ...features,
    ...stateOfSettings(db.settings),
    ...(form.takesExtensions && { server_receives_email: receivesEmail(db.settings) }),
    realm_empty_topic_display_name: EMPTY_TOPIC_DISPLAY_NAME,
    server_emoji_data_url: realmAddress(actor.realm.subdomain, db.settings.EXTERNAL_URL).url + EMOJI_DATA_PATH,
    jitsi_server_url: actor.realm.settings.jitsi_server_url ?? db.settings.JITSI_SERVER_URL,
    server_min_deactivated_realm_deletion_days: null,
    server_max_deactivated_realm_deletion_days: null,
    upgrade_text_for_wide_organization_logo: '' as const,
  }),
})
