import type { Deed } from '../world.ts'

const ROLES = [200, 300, 400, 600]

/** Accounts, bots, groups and what becomes of them. */
export const peopleDeeds: Record<string, Deed> = {
  role: ({ people }, who, pick) => who.call(`PATCH /users/${pick(people).id}`, { role: pick(ROLES) }),
  rename: ({ people, bots }, who, pick) =>
    who.call(`PATCH /users/${pick([...people, ...bots]).id}`, { full_name: `Somebody ${pick([1, 2, 3, 4, 5])}` }),
  deactivate: ({ people, bots }, who, pick) => who.call(`DELETE /users/${pick([...people.slice(4), ...bots]).id}`),
  reactivate: ({ people, bots }, who, pick) =>
    who.call(`POST /users/${pick([...people.slice(4), ...bots]).id}/reactivate`),
  enrol: (_, who, pick) =>
    who.call('POST /users', { email: `new${pick([1, 2])}@example.com`, password: 'a long secret', full_name: 'New' }),
  makeBot: (_, who, pick) =>
    who.call('POST /bots', { full_name: `Bot ${pick([1, 2, 3])}`, short_name: `b${pick([1, 2, 3])}`, bot_type: 1 }),
  changeBot: ({ people, bots }, who, pick) =>
    who.call(`PATCH /bots/${pick(bots).id}`, {
      ...(pick.flip() && { bot_owner_id: pick(people).id }),
      ...(pick.flip() && { full_name: `Machine ${pick([1, 2])}` }),
    }),
  endBot: ({ bots }, who, pick) => who.call(`DELETE /bots/${pick(bots).id}`),
  /** Of those alone who may fall silent: their credentials name the address. */
  address: ({ people }, who, pick) =>
    who.call(`PATCH /users/${pick(people.slice(4)).id}`, { new_email: `else${pick([1, 2])}@example.com` }),
  avatar: (_, who) => who.call('DELETE /users/me/avatar'),
  status: (_, who, pick) =>
    who.call('POST /users/me/status', {
      ...(pick.flip() && { status_text: pick(['', 'out']) }),
      emoji_name: pick(['', 'tea', 'parley']),
    }),
  setting: (_, who, pick) => {
    const [name, value] = pick([
      ...([
        ['email_address_visibility', 1],
        ['email_address_visibility', 2],
        ['email_address_visibility', 3],
      ] as const),
      ...([
        ['email_address_visibility', 4],
        ['email_address_visibility', 5],
        ['presence_enabled', false],
      ] as const),
      ...([
        ['twenty_four_hour_time', true],
        ['enable_sounds', false],
        ['timezone', 'Europe/Paris'],
      ] as const),
      ...([
        ['enable_drafts_synchronization', true],
        ['enable_drafts_synchronization', false],
      ] as const),
      ...([
        ['default_language', 'de'],
        ['notification_sound', 'ding'],
        ['full_name', 'Whoever'],
      ] as const),
    ])
    return who.call('PATCH /settings', { [name]: value })
  },
}
