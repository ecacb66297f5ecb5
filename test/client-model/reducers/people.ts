import { createHash } from 'node:crypto'
import { byId, can, type Event, type Reducer, type State } from '../reducer.ts'

type Account = Record<string, unknown> & { user_id: number; is_active: boolean }

const LISTS = ['realm_users', 'realm_non_active_users'] as const

const listOf = (account: Account) => (account.is_active ? 'realm_users' : 'realm_non_active_users')

export const accountOf = (state: State, id: number): Account | undefined =>
  LISTS.flatMap((list) => state[list] as Account[]).find((account) => account.user_id === id)

const takeOut = (state: State, id: number) => {
  for (const list of LISTS) state[list] = state[list].filter((account: Account) => account.user_id !== id)
}

const rolesOf = (role: number) => ({ is_owner: role === 100, is_admin: role <= 200, is_guest: role === 600 })

/** The visible accounts, with the user's own. */
export const peopleReducer: Reducer = {
  eventTypes: ['realm_user'],
  apply(state, event, form) {
    const { op, person } = event
    if (op === 'add') {
      takeOut(state, person.user_id)
      state[listOf(person)].push(person)
    } else if (op === 'remove') {
      const before = requireAccount(state, event)
      takeOut(state, person.user_id)
      if (!can(form, 'user_list_incomplete')) state.realm_users.push(toUnknown(state, before))
    } else change(state, event)
    if (person.user_id === state.user_id && op === 'update') changeOwn(state, person)
  },
  normalize(state) {
    for (const list of LISTS) state[list] = byId(state[list].map(withAvatar), 'user_id')
  },
}

function requireAccount(state: State, event: Event): Account {
  const account = accountOf(state, event['person'].user_id)
  if (account === undefined || account['full_name'] === 'Unknown user')
    throw new Error(`An event changes an unknown account: ${JSON.stringify(event)}`)
  return account
}

function change(state: State, event: Event): void {
  const { user_id, new_email, avatar_source, avatar_url_medium, custom_profile_field, ...changes } = event['person']
  const account = requireAccount(state, event)
  takeOut(state, user_id)
  if (new_email !== undefined) changes.email = new_email
  if (changes.role !== undefined) Object.assign(changes, rolesOf(changes.role))
  const changed = { ...account, ...changes }
  state[listOf(changed)].push(changed)
}

function changeOwn(state: State, person: Record<string, unknown> & { role?: number }): void {
  const names = ['full_name', 'delivery_email', 'email', 'avatar_source', 'avatar_url', 'avatar_url_medium']
  for (const name of names) if (person[name] !== undefined) state[name] = person[name]
  if (person['new_email'] !== undefined) state['email'] = person['new_email']
  const { role } = person
  if (role !== undefined) Object.assign(state, rolesOf(role), { is_moderator: role === 300 })
}

/** Computes the gravatar from the visible email address where the avatar is null. */
function withAvatar(account: Account): Account {
  if (account['avatar_url'] !== null) return account
  const digest = createHash('md5').update(String(account['email']).toLowerCase()).digest('hex')
  const url = `https://secure.gravatar.com/avatar/${digest}?d=identicon&version=${account['avatar_version']}`
  return { ...account, avatar_url: url }
}

/** Returns the account without a name that replaces an invisible one for clients that need a complete list. */
function toUnknown(state: State, { user_id, date_joined }: Account): Account {
  const { host } = new URL(state['realm_url'])
  return {
    user_id,
    email: `user${user_id}@${host}`,
    delivery_email: null,
    full_name: 'Unknown user',
    role: 400,
    ...rolesOf(400),
    is_bot: false,
    bot_type: null,
    bot_owner_id: null,
    is_active: true,
    date_joined,
    timezone: '',
    avatar_url: '/static/unknown-user-avatar.png',
    avatar_version: 1,
  } as Account
}
