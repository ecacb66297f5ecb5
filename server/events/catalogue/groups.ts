import { z } from 'zod'
import { groupJson } from '#groups/group-json.ts'
import { event } from './event.ts'
import { exampleGroup } from './examples.ts'

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
