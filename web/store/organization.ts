import { useQuery } from '@tanstack/react-query'
import type { RealmSettingName } from '../../server/organizations/realms/settings.ts'
import type { AnswerOf } from '../api/types.ts'
import { queryClient } from './query-client.ts'

/** The types of events whose state the client begins with. */
export const STATE_TYPES = [
  'alert_words',
  'custom_profile_fields',
  'default_streams',
  'message',
  'muted_users',
  'realm',
  'realm_emoji',
  'realm_linkifiers',
  'realm_playgrounds',
  'realm_user',
  'realm_user_groups',
  'recent_private_conversations',
  'scheduled_messages',
  'subscription',
  'update_message_flags',
  'user_settings',
  'user_status',
  'user_topic',
] as const

export type RegisterState = AnswerOf<'POST /register'>

/** The settings of the organization that clients are told. */
type RealmSettingField = Extract<keyof RegisterState, `realm_${RealmSettingName}`>

type Known =
  | 'alert_words'
  | 'cross_realm_bots'
  | 'custom_profile_fields'
  | 'custom_profile_field_types'
  | 'realm_name'
  | 'realm_url'
  | 'realm_presence_disabled'
  | 'realm_name_changes_disabled'
  | 'realm_email_changes_disabled'
  | 'realm_emails_restricted_to_domains'
  | 'realm_allow_message_editing'
  | 'realm_message_content_edit_limit_seconds'
  | 'realm_message_content_delete_limit_seconds'
  | 'realm_message_edit_history_visibility_policy'
  | 'realm_move_messages_within_stream_limit_seconds'
  | 'realm_move_messages_between_streams_limit_seconds'
  | 'realm_mandatory_topics'
  | 'realm_can_delete_any_message_group'
  | 'realm_can_delete_own_message_group'
  | 'realm_can_move_messages_between_channels_group'
  | 'realm_can_move_messages_between_topics_group'
  | 'realm_can_resolve_topics_group'
  | 'realm_emoji'
  | 'realm_linkifiers'
  | 'realm_playgrounds'
  | 'realm_default_external_accounts'
  | 'realm_can_add_subscribers_group'
  | 'realm_can_create_private_channel_group'
  | 'realm_can_create_public_channel_group'
  | 'realm_default_streams'
  | 'realm_user_groups'
  | 'server_supported_permission_settings'
  | 'server_typing_started_expiry_period_milliseconds'
  | 'server_typing_started_wait_period_milliseconds'
  | 'server_typing_stopped_wait_period_milliseconds'
  | 'muted_users'
  | 'user_id'
  | 'delivery_email'
  | 'full_name'
  | 'avatar_url_medium'
  | 'max_avatar_file_size_mib'
  | 'is_admin'
  | 'is_guest'
  | 'can_invite_others_to_realm'
  | 'realm_non_active_users'
  | 'realm_users'
  | 'scheduled_messages'
  | 'subscriptions'
  | 'unsubscribed'
  | 'never_subscribed'
  | 'user_settings'
  | 'user_status'
  | 'user_topics'
  | RealmSettingField

/** The organization as far as this client shows it, as the server told it at first and by events since. */
export type Organization = Required<Pick<RegisterState, Known>>

export type Person = Organization['realm_users'][number]
export type Subscription = Organization['subscriptions'][number]
/** A channel that one may know of, in it or not. */
export type Channel = Organization['never_subscribed'][number]
export type Group = Organization['realm_user_groups'][number]
/** Something that the organization lets people say of themselves. */
export type ProfileField = Organization['custom_profile_fields'][number]

export const ORGANIZATION_KEY = ['organization'] as const

/** The organization; only below where it is known to be loaded. */
export function useOrganization(): Organization {
  const { data } = useQuery<Organization>({ queryKey: ORGANIZATION_KEY, enabled: false })
  if (data === undefined) throw new Error('The organization is not loaded yet')
  return data
}

/** Changes what is known of the organization; nothing when nothing is known yet. */
export function updateOrganization(change: (organization: Organization) => Partial<Organization>): void {
  queryClient.setQueryData<Organization>(ORGANIZATION_KEY, (known) => known && { ...known, ...change(known) })
}

/** The organization outside of components; undefined while nothing is known yet. */
export const knownOrganization = (): Organization | undefined =>
  queryClient.getQueryData<Organization>(ORGANIZATION_KEY)

/** One's subscription of a channel, as far as is known now. */
export const findChannel = (id: number): Subscription | undefined =>
  knownOrganization()?.subscriptions.find(({ stream_id }) => stream_id === id)

export const findOwnAccount = (organization: Organization): Person | undefined =>
  organization.realm_users.find((person) => person.user_id === organization.user_id)
