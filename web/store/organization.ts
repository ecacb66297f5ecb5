import { useQuery } from '@tanstack/react-query'
import type { StateOf, StateType } from '../../server/events/state/state.ts'
import type { AnswerOf } from '../api/types.ts'
import { queryClient } from './query-client.ts'

/** The types of events whose state the client fetches when it registers. */
export const INITIAL_STATE_TYPES = [
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
] as const satisfies readonly StateType[]

export type RegisterState = AnswerOf<'POST /register'>

/** The organization as the client shows it: the initial state, kept up to date by events. */
export type Organization = StateOf<(typeof INITIAL_STATE_TYPES)[number]>

export type Person = Organization['realm_users'][number]
export type Subscription = Organization['subscriptions'][number]
/** A channel that one may know of, in it or not. */
export type Channel = Organization['never_subscribed'][number]
export type Group = Organization['realm_user_groups'][number]
/** Something that the organization lets people say of themselves. */
export type ProfileField = Organization['custom_profile_fields'][number]

export const ORGANIZATION_KEY = ['organization'] as const

/** Returns the organization. Use it only in components that render after the initial state is loaded. */
export function useOrganization(): Organization {
  const { data } = useQuery<Organization>({ queryKey: ORGANIZATION_KEY, enabled: false })
  if (data === undefined) throw new Error('The organization is not loaded yet')
  return data
}

/** Updates the organization, unless the initial state is not loaded yet. */
export function updateOrganization(change: (organization: Organization) => Partial<Organization>): void {
  queryClient.setQueryData<Organization>(ORGANIZATION_KEY, (known) => known && { ...known, ...change(known) })
}

/** Returns the organization outside of components; undefined until the initial state is loaded. */
export const knownOrganization = (): Organization | undefined =>
  queryClient.getQueryData<Organization>(ORGANIZATION_KEY)

/** Returns the user's subscription to a channel. */
export const findChannel = (id: number): Subscription | undefined =>
  knownOrganization()?.subscriptions.find(({ stream_id }) => stream_id === id)

export const findOwnAccount = (organization: Organization): Person | undefined =>
  organization.realm_users.find((person) => person.user_id === organization.user_id)
