import { isInRole, isInSetting } from '../membership.ts'
import type { Reducer, State } from '../reducer.ts'

/** The settings of the organization, and the user's permissions that follow from them. */
export const realmReducer: Reducer = {
  eventTypes: ['realm'],
  apply(state, { op, property, value, data }) {
    if (op === 'update') state[`realm_${property}`] = value
    else if (op === 'update_dict') for (const [name, given] of Object.entries(data)) state[`realm_${name}`] = given
  },
  derive(state) {
    const may = (name: string) => isInSetting(state, state['user_id'], state[`realm_${name}`])
    const isGuest = state['is_guest']
    const creates = {
      can_create_public_streams: !isGuest && may('can_create_public_channel_group'),
      can_create_private_streams: !isGuest && may('can_create_private_channel_group'),
      can_create_web_public_streams:
        !isGuest && state['realm_enable_spectator_access'] && may('can_create_web_public_channel_group'),
    }
    Object.assign(state, creates, {
      can_create_streams: Object.values(creates).includes(true),
      can_subscribe_other_users: !isGuest && may('can_add_subscribers_group'),
      can_invite_others_to_realm: !isGuest && may('can_invite_users_group'),
    })
    state['jitsi_server_url'] = state['realm_jitsi_server_url'] ?? state['server_jitsi_server_url'] ?? ''
    state['realm_allow_edit_history'] = state['realm_message_edit_history_visibility_policy'] !== 'none'
    for (const [field, { setting, numbers, widest }] of Object.entries(olderPolicies))
      state[field] = numbers[roleNamed(state, setting) ?? ''] ?? widest
  },
}

const create = { members: 1, administrators: 2, owners: 2, nobody: 2, fullmembers: 3, moderators: 4 }

/** The numbers by which older clients know the groups of settings. */
const olderPolicies: Record<string, { setting: string; numbers: Record<string, number>; widest: number }> = {
  realm_create_public_stream_policy: { setting: 'can_create_public_channel_group', numbers: create, widest: 1 },
  realm_create_private_stream_policy: { setting: 'can_create_private_channel_group', numbers: create, widest: 1 },
  realm_create_web_public_stream_policy: {
    setting: 'can_create_web_public_channel_group',
    numbers: { administrators: 2, moderators: 4, nobody: 6, owners: 7 },
    widest: 4,
  },
  realm_wildcard_mention_policy: {
    setting: 'can_mention_many_users_group',
    numbers: { everyone: 1, members: 2, fullmembers: 3, administrators: 5, owners: 5, nobody: 6, moderators: 7 },
    widest: 1,
  },
}

/** Returns the role that a setting names, if it names only one. */
function roleNamed(state: State, setting: string): string | undefined {
  const value = state[`realm_${setting}`]
  return Object.keys(roles).find((role) => isInRole(state, value, role))
}

const roles = { members: 0, administrators: 0, owners: 0, nobody: 0, fullmembers: 0, moderators: 0, everyone: 0 }
