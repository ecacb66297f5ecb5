import type { Organization } from '../../web/store/organization.ts'

const person = (user_id: number, full_name: string, change: object = {}) => ({
  user_id,
  full_name,
  email: `user${user_id}@chat.example`,
  delivery_email: `${full_name.toLowerCase()}@example.com`,
  role: 400,
  is_bot: false,
  is_active: true,
  ...change,
})

const group = (id: number, name: string, members: number[], is_system_group = false) => ({
  id,
  name,
  members,
  direct_subgroup_ids: [],
  is_system_group,
})

/** A small organization with users, groups and channels, one of them deactivated. */
export const lists = {
  realm_users: [
    person(2, 'Ben'),
    person(1, 'Ada', { delivery_email: null, role: 100 }),
    person(3, 'Gone', { is_active: false }),
    person(4, 'Robot', { is_bot: true }),
  ],
  realm_user_groups: [
    group(10, 'role:nobody', [], true),
    group(11, 'role:members', [1, 2], true),
    group(12, 'makers', [2, 3]),
  ],
  subscriptions: [{ stream_id: 5, name: 'design', is_archived: false }],
  unsubscribed: [{ stream_id: 6, name: 'old', is_archived: true }],
  never_subscribed: [],
} as unknown as Organization
