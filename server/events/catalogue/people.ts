import { z } from 'zod'
import { groupJson } from '#groups/group.ts'
import { statusJson } from '#people/statuses.ts'
import { userJson } from '#people/user-json.ts'
import { botJson } from '../state/people.ts'
import { event } from './event.ts'
import { exampleGroup, exampleUser } from './examples.ts'

const accountJson = () => z.strictObject(userJson.shape)

const visibility = 'Users who can see the account.'

const exampleBot = {
  user_id: 30,
  email: 'helper-bot@example.com',
  full_name: 'Helper',
  bot_type: 1,
  is_active: true,
  owner_id: 10,
  avatar_url: '/user_avatars/1/30.png',
  services: [],
  default_sending_stream: null,
  default_events_register_stream: null,
  default_all_public_streams: false,
} as const

export const peopleEvents = {
  'realm_user/add': event({
    description: 'An account was created, or became visible to the user.',
    audience: visibility,
    clients:
      'Guests receive accounts that they cannot see without a name, unless the client has the capability ' +
      '`user_list_incomplete`.',
    fields: () => ({ person: accountJson() }),
    logged: () => ({ is_unknown: z.literal(true).optional().describe('The recipients cannot see the account.') }),
    example: { person: exampleUser },
  }),
  'realm_user/remove': event({
    description: 'An account is no longer visible to the user.',
    audience: 'Guests who could see the account before.',
    fields: () => ({ person: z.strictObject({ user_id: z.int(), full_name: z.string() }) }),
    example: { person: { user_id: 10, full_name: 'Unknown user' } },
  }),
  'realm_user/update': event({
    description: 'An account changed, or was deactivated or reactivated.',
    audience: `${visibility} Changes to \`delivery_email\` are sent to users who can see the address.`,
    fields: () => ({
      person: z.strictObject({
        user_id: z.int(),
        full_name: z.string().optional(),
        role: z.int().optional(),
        is_active: z.boolean().optional(),
        timezone: z.string().optional(),
        email: z.string().optional(),
        new_email: z.string().optional().describe('The new API email address.'),
        delivery_email: z.string().nullable().optional(),
        bot_owner_id: z.int().optional(),
        avatar_source: z.enum(['G', 'U']).optional(),
        avatar_url: z.string().optional(),
        avatar_url_medium: z.string().optional(),
        avatar_version: z.int().optional(),
        custom_profile_field: z
          .strictObject({ id: z.int(), value: z.string().nullable(), rendered_value: z.string().optional() })
          .optional(),
      }),
    }),
    example: { person: { user_id: 10, full_name: 'Ada King' } },
  }),
  'realm_bot/add': event({
    description: 'A bot was created, or the user became responsible for it.',
    audience: 'The owner of the bot, and administrators.',
    fields: () => ({ bot: botJson }),
    example: { bot: { ...exampleBot, services: [] } },
  }),
  'realm_bot/update': event({
    description: 'A bot changed.',
    audience: 'The owner of the bot, and administrators.',
    fields: () => ({ bot: botJson.partial().required({ user_id: true }) }),
    example: { bot: { user_id: 30, full_name: 'Assistant' } },
  }),
  'realm_bot/delete': event({
    description: 'The user is no longer responsible for a bot.',
    audience: 'The former owner of the bot, and former administrators.',
    fields: () => ({ bot: z.strictObject({ user_id: z.int() }) }),
    example: { bot: { user_id: 30 } },
  }),
  bot_commands: event({
    description: 'Commands of bots changed. Clients fetch the list again.',
    audience: 'All users.',
    clients: 'Clients without the capability `parley_extensions` do not receive the event.',
    fields: () => ({}),
    example: {},
  }),
  user_status: event({
    description: 'A user changed their status. Fields that did not change are left out; empty ones were cleared.',
    audience: visibility,
    fields: () => ({ user_id: z.int(), ...statusJson.shape }),
    example: { user_id: 10, status_text: 'Out for lunch' },
  }),
  presence: event({
    description: 'A user came online, or started or stopped sharing their presence.',
    audience: 'Users who can see the account.',
    clients: 'The email address is left out for clients with `slim_presence`.',
    fields: () => ({
      user_id: z.int(),
      email: z.string().optional(),
      server_timestamp: z.number(),
      presence: z.strictObject({
        website: z.strictObject({
          client: z.literal('website'),
          status: z.enum(['active', 'idle']),
          timestamp: z.int(),
          pushable: z.boolean(),
        }),
      }),
    }),
    example: {
      user_id: 10,
      email: 'ada@example.com',
      server_timestamp: 1893837600.5,
      presence: { website: { client: 'website', status: 'active', timestamp: 1893837600, pushable: false } },
    },
  }),
  realm_export_consent: event({
    description: 'A user allowed or disallowed the export of their private data.',
    audience: 'Administrators.',
    fields: () => ({ user_id: z.int(), consented: z.boolean() }),
    example: { user_id: 10, consented: true },
  }),
  invites_changed: event({
    description: 'Invitations were sent, changed, revoked or used. Clients fetch the list again.',
    audience: 'Administrators, and the users who sent the invitations.',
    fields: () => ({}),
    example: {},
  }),
} as const

const everyone = 'All users.'

const everyoneWithVisibleMembers = 'All users. Guests receive only the members that they can see.'

const deactivatedClients =
  'Clients without the capability `include_deactivated_groups` receive `remove` when a group is deactivated, and `add` ' +
  'when it is reactivated.'

const changeableFields = () =>
  z.strictObject(groupJson.shape).omit({
    id: true,
    date_created: true,
    creator_id: true,
    members: true,
    direct_subgroup_ids: true,
    is_system_group: true,
  })

export const groupEvents = {
  'user_group/add': event({
    description: 'A group was created.',
    audience: everyoneWithVisibleMembers,
    clients: deactivatedClients,
    fields: () => ({ group: z.strictObject(groupJson.shape) }),
    logged: () => ({ is_back: z.literal(true).optional().describe('The group was reactivated.') }),
    example: { group: exampleGroup },
  }),
  'user_group/remove': event({
    description: 'A group was deactivated.',
    audience: everyone,
    clients: deactivatedClients,
    fields: () => ({ group_id: z.int() }),
    example: { group_id: 21 },
  }),
  'user_group/update': event({
    description: 'Properties of a group changed.',
    audience: everyone,
    clients: deactivatedClients,
    fields: () => ({ group_id: z.int(), data: changeableFields().partial() }),
    example: { group_id: 21, data: { name: 'builders' } },
  }),
  'user_group/add_members': event({
    description: 'Members were added to a group.',
    audience: everyoneWithVisibleMembers,
    fields: () => ({ group_id: z.int(), user_ids: z.array(z.int()) }),
    example: { group_id: 21, user_ids: [12] },
  }),
  'user_group/remove_members': event({
    description: 'Members were removed from a group.',
    audience: everyoneWithVisibleMembers,
    fields: () => ({ group_id: z.int(), user_ids: z.array(z.int()) }),
    example: { group_id: 21, user_ids: [12] },
  }),
  'user_group/add_subgroups': event({
    description: 'Subgroups were added to a group.',
    audience: everyone,
    fields: () => ({ group_id: z.int(), direct_subgroup_ids: z.array(z.int()) }),
    example: { group_id: 21, direct_subgroup_ids: [22] },
  }),
  'user_group/remove_subgroups': event({
    description: 'Subgroups were removed from a group.',
    audience: everyone,
    fields: () => ({ group_id: z.int(), direct_subgroup_ids: z.array(z.int()) }),
    example: { group_id: 21, direct_subgroup_ids: [22] },
  }),
} as const
