import type { ChannelJson } from '#channels/channel.ts'
import type { GroupJson } from '#groups/group.ts'
import type { SharedMessageJson } from '#messages/message.ts'
import type { UserJson } from '#people/user-json.ts'

/** The user, channel, group and message in the examples of the API reference. */

export const exampleUser: UserJson = {
  user_id: 10,
  email: 'ada@example.com',
  delivery_email: null,
  full_name: 'Ada Lovelace',
  role: 400,
  is_owner: false,
  is_admin: false,
  is_guest: false,
  is_bot: false,
  bot_type: null,
  bot_owner_id: null,
  is_active: true,
  date_joined: '2030-01-05T10:00:00+00:00',
  timezone: 'Europe/London',
  avatar_url: null,
  avatar_version: 1,
}

export const exampleChannel: ChannelJson = {
  stream_id: 4,
  name: 'design',
  is_archived: false,
  description: 'Everything about *design*',
  rendered_description: '<p>Everything about <em>design</em></p>',
  date_created: 1893837600,
  creator_id: 10,
  invite_only: false,
  is_web_public: false,
  history_public_to_subscribers: true,
  message_retention_days: null,
  first_message_id: 31,
  is_recently_active: true,
  stream_weekly_traffic: null,
  stream_post_policy: 1,
  is_announcement_only: false,
  can_add_subscribers_group: 5,
  can_administer_channel_group: { direct_members: [10], direct_subgroups: [] },
  can_remove_subscribers_group: 3,
  can_send_message_group: 7,
  can_subscribe_group: 8,
}

export const exampleGroup: GroupJson = {
  id: 21,
  name: 'makers',
  description: 'People who build things',
  date_created: 1893837600,
  creator_id: 10,
  members: [10, 11],
  direct_subgroup_ids: [],
  is_system_group: false,
  deactivated: false,
  can_add_members_group: 8,
  can_join_group: 8,
  can_leave_group: 7,
  can_manage_group: { direct_members: [10], direct_subgroups: [] },
  can_mention_group: 7,
  can_remove_members_group: 8,
}

export const exampleMessage: SharedMessageJson = {
  id: 31,
  type: 'stream',
  stream_id: 4,
  subject: 'logo',
  topic_links: [],
  content: '<p>Hello</p>',
  content_type: 'text/html',
  timestamp: 1893837600,
  client: 'website',
  is_me_message: false,
  avatar_url: null,
  sender_id: 10,
  sender_email: 'ada@example.com',
  sender_full_name: 'Ada Lovelace',
  sender_realm_str: '',
  recipient_id: 20,
  display_recipient: 'design',
  reactions: [],
  submessages: [],
}
