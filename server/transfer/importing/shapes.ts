import { z } from 'zod'
import { Flag } from '#messages/flags.ts'

/** The types of recipients in the export format. */
export const [PERSON, CHANNEL, GROUP] = [1, 2, 3]

/** The flags that clients display. Flags about the delivery of a message are neither exported nor imported. */
export const KEPT_FLAGS = Object.values(Flag).reduce((all, flag) => all | flag, 0)

const id = z.int().positive()
const time = z.number()
const text = z.string()
const optionalText = text.nullish().transform((given) => given ?? '')
const flag = z.boolean()

/** The columns of the export that are read; columns that other versions or converters omit are optional. */
export const realmRow = z.looseObject({
  id,
  string_id: text,
  name: text,
  date_created: time.nullish(),
  deactivated: flag.nullish(),
})

export const settingsRow = z.looseObject({})

export const ownSettingsRow = z.looseObject({ id })

export const userRow = z.looseObject({
  id,
  email: text,
  delivery_email: text.nullish(),
  full_name: text,
  is_active: flag,
  is_bot: flag.nullish(),
  bot_type: z.int().nullish(),
  bot_owner: id.nullish(),
  role: z.int().nullish(),
  is_realm_admin: flag.nullish(),
  is_guest: flag.nullish(),
  date_joined: time.nullish(),
  timezone: text.nullish(),
  avatar_source: text.nullish(),
  recipient: id.nullish(),
  long_term_idle: flag.nullish(),
})

export const systemBotRow = z.object({ id, email: text, recipient: id.nullish() })

export const channelRow = z.looseObject({
  id,
  name: text.min(1),
  description: optionalText,
  date_created: time.nullish(),
  deactivated: flag.nullish(),
  invite_only: flag.nullish(),
  is_web_public: flag.nullish(),
  history_public_to_subscribers: flag.nullish(),
  message_retention_days: z.int().nullish(),
  stream_post_policy: z.int().nullish(),
  creator: id.nullish(),
})

export const recipientRow = z.object({ id, type: z.int(), type_id: id })

export const subscriptionRow = z.looseObject({
  user_profile: id,
  recipient: id,
  active: flag.nullish(),
  color: text.nullish(),
  is_muted: flag.nullish(),
  in_home_view: flag.nullish(),
  pin_to_top: flag.nullish(),
})

export const defaultChannelRow = z.object({ stream: id })
export const clientRow = z.object({ id, name: text })

export const groupRow = z.looseObject({
  id: id.nullish(),
  usergroup_ptr: id.nullish(),
  name: text.nullish(),
  description: optionalText,
  is_system_group: flag.nullish(),
  creator: id.nullish(),
  date_created: time.nullish(),
  deactivated: flag.nullish(),
})
export const groupMemberRow = z.object({ user_group: id, user_profile: id })
export const subgroupRow = z.object({ supergroup: id, subgroup: id })

export const emojiRow = z.object({
  id,
  name: text,
  author: id.nullish(),
  file_name: text.nullish(),
  deactivated: flag.nullish(),
})

export const linkifierRow = z.object({
  id,
  pattern: text,
  url_template: text.nullish(),
  url_format_string: text.nullish(),
  order: z.int().nullish(),
})
export const domainRow = z.object({ domain: text, allow_subdomains: flag.nullish() })

export const profileFieldRow = z.object({
  id,
  name: text,
  hint: optionalText,
  order: z.int().nullish(),
  field_type: z.int(),
  field_data: optionalText,
  display_in_profile_summary: flag.nullish(),
  required: flag.nullish(),
  editable_by_user: flag.nullish(),
})
export const profileValueRow = z.object({ user_profile: id, field: id, value: text })

export const alertWordRow = z.object({ user_profile: id, word: text })
export const statusRow = z.object({
  user_profile: id,
  status_text: optionalText,
  emoji_name: optionalText,
  emoji_code: optionalText,
  reaction_type: optionalText,
  scheduled_end_time: z.int().nullish(),
})
export const mutedUserRow = z.object({ user_profile: id, muted_user: id })
export const userTopicRow = z.object({
  user_profile: id,
  stream: id,
  topic_name: text,
  visibility_policy: z.int().nullish(),
})
export const serviceRow = z.object({ user_profile: id, base_url: text, interface: z.int().nullish() })

export const messageRow = z.object({
  id,
  sender: id,
  recipient: id,
  subject: text.nullish(),
  topic_name: text.nullish(),
  content: text,
  date_sent: time,
  sending_client: z.int().nullish(),
  last_edit_time: time.nullish(),
  edit_history: text.nullish(),
})
export const recordRow = z.object({ user_profile: id, message: id, flags_mask: z.int().nonnegative() })
export const reactionRow = z.object({
  user_profile: id,
  message: id,
  emoji_name: text,
  emoji_code: text,
  reaction_type: text,
})
export const submessageRow = z.object({ message: id, sender: id, msg_type: text, content: text })
export const editRow = z.object({
  user_id: id.nullish(),
  timestamp: time,
  prev_content: text.nullish(),
  prev_topic: text.nullish(),
  prev_subject: text.nullish(),
  topic: text.nullish(),
  prev_stream: id.nullish(),
  stream: id.nullish(),
})

export const attachmentRow = z.object({
  id,
  file_name: text,
  path_id: text.min(1),
  owner: id,
  create_time: time,
  messages: z.array(id).nullish(),
})

/** The records.json files next to avatars, emoji, and the icon and logos of the organization. */
export const iconRecord = z.object({ path: text })
export const avatarRecord = z.object({ user_profile: id, path: text })
export const emojiRecord = z.object({ name: text.nullish(), path: text, file_name: text.nullish() })

export type UserRow = z.infer<typeof userRow>
export type ChannelRow = z.infer<typeof channelRow>
export type SubscriptionRow = z.infer<typeof subscriptionRow>
export type GroupRow = z.infer<typeof groupRow>
export type EmojiRow = z.infer<typeof emojiRow>
export type EmojiRecord = z.infer<typeof emojiRecord>
export type MessageRow = z.infer<typeof messageRow>
export type ReactionRow = z.infer<typeof reactionRow>
export type SubmessageRow = z.infer<typeof submessageRow>
export type AttachmentRow = z.infer<typeof attachmentRow>
