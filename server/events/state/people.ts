import { z } from 'zod'
import { hasPermission, viewerOf } from '#groups/viewer.ts'
import { SharedValue } from '#lib/shared-json.ts'
import { isBotManager } from '#people/access.ts'
import { findAccountList, noteAccounts } from '#people/account-lists.ts'
import { botDefaultFields, serviceFields, toBotJson } from '#people/bots.ts'
import { findMutedUsers, toMutedUserJson } from '#people/mutes.ts'
import { findProfiles } from '#people/profile-fields.ts'
import { findRealmStatuses, statusJson, toStatusJson } from '#people/statuses.ts'
import { type Profiles, toUnknownUserJson, toUserJson, type UserJson, userJson } from '#people/user-json.ts'
import {
  findBotsAndModerators,
  findRealmBots,
  findRealmUsers,
  findUsersById,
  hasMoreUsersThan,
} from '#people/user-queries.ts'
import { apiEmail, isVisible, mediumAvatarUrl, ownAvatarUrl, placeholderEmail, type User } from '#people/users.ts'
import { collectPresences } from '#presence/board.ts'
import { findAddressVisibleIds, findPresenceVisibleIds } from '#presence/endpoints.ts'
import { findRealmBySubdomain } from '#realms/queries.ts'
import { SYSTEM_SUBDOMAIN } from '#realms/realm.ts'
import { isAdministrator, isGuest, isOwner, Role } from '#rules/role.ts'
import { findBotServices, findConversationsOf } from './queries.ts'
import { oncePerState, type StateScope, stateSlice } from './slice.ts'

/** The number of accounts up to which all clients get all of them. */
const MAX_COMPLETE = 3000

const accountJson = z.strictObject(userJson.shape)

/** Returns the ids of the users that the user can see; null for all. */
const findVisibleIds = oncePerState(({ db, actor, now }) => viewerOf(db, actor, now).visibleIds())

export const peopleSlice = stateSlice({
  types: ['realm_user'],
  returns: {
    realm_users: z.array(accountJson),
    realm_non_active_users: z.array(accountJson),
    cross_realm_bots: z
      .array(accountJson.extend({ is_system_bot: z.literal(true) }))
      .describe("The server's own bots, which send messages in all organizations."),
    user_list_incomplete: z
      .boolean()
      .optional()
      .describe(
        `Whether only some users are included, for clients with \`user_list_incomplete\` and \`parley_extensions\` in ` +
          `organizations with more than ${MAX_COMPLETE} accounts. \`GET /users\` with \`user_ids\` and ` +
          '`GET /users/search` return the others.',
      ),
  },
  async fetch(scope) {
    const isIncomplete = await getsIncompleteList(scope)
    const lists = isIncomplete ? null : await findAccountLists(scope, await findVisibleIds(scope))
    const users = lists === null ? await (isIncomplete ? findFirstUsers(scope) : findAllUsers(scope)) : []
    return {
      ...(lists ?? (await renderAccounts(scope, users))),
      ...(scope.form.takesExtensions && { user_list_incomplete: isIncomplete }),
      cross_realm_bots: (await findSystemBots(scope)).map((bot) => ({ ...bot, is_system_bot: true as const })),
    }
  },
})

type Viewing = Pick<StateScope, 'db' | 'actor' | 'form' | 'now'>

/**
 * Returns whether the client gets only the users whom it needs first. The reference server leaves out only users who
 * are invisible, and its clients fetch no others, so this takes both capabilities.
 */
async function getsIncompleteList({ db, actor, form, now }: Viewing): Promise<boolean> {
  if (!form.omitsUnknownUsers || !form.takesExtensions) return false
  if (!(await hasMoreUsersThan(db, actor.realmId, MAX_COMPLETE))) return false
  return (await viewerOf(db, actor, now).visibleIds()) === null
}

/** The number of direct conversations whose participants a client needs first. */
const MAX_FIRST_CONVERSATIONS = 200

/**
 * Returns the users whom a client needs first: the user, bots and moderators, and those with whom the user has recent
 * direct conversations or whom the user has muted.
 */
async function findFirstUsers({ db, actor }: StateScope): Promise<User[]> {
  const conversations = (await findConversationsOf(db, actor.id)).sort((one, other) => other.newestId - one.newestId)
  const participants = conversations.slice(0, MAX_FIRST_CONVERSATIONS).flatMap(({ participantIds }) => participantIds)
  const muted = (await findMutedUsers(db, actor.id)).map((mute) => mute.mutedUserId)
  const found = [
    ...(await findBotsAndModerators(db, actor.realmId)),
    ...(await findUsersById(db, [actor.id, ...participants, ...muted])),
  ]
  const byId = new Map(found.map((user) => [user.id, user]))
  return [...byId.values()].sort((one, other) => one.id - other.id)
}

async function findAllUsers({ db, actor }: StateScope): Promise<User[]> {
  const users = await findRealmUsers(db, actor.realmId)
  noteAccounts(db, actor.realmId, users.length)
  return users
}

/**
 * Makes the lists that the state will need, so that its transaction does not wait for them. On PostgreSQL, states have
 * no such lists, because their snapshot may be ahead of the commits that this process knows.
 */
export async function prepareAccountLists(scope: Viewing): Promise<void> {
  if (scope.db.dialect === 'postgres' || (await getsIncompleteList(scope))) return
  await findAccountLists(scope, await viewerOf(scope.db, scope.actor, scope.now).visibleIds())
}

/** Returns the accounts as prepared JSON; null if the user may not see them all, or if there are no such lists. */
async function findAccountLists(
  { db, actor, form, now }: Viewing,
  visibleIds: ReadonlySet<number> | null,
): Promise<{ realm_users: SharedValue; realm_non_active_users: SharedValue } | null> {
  if (visibleIds !== null) return null
  const options = { computesGravatar: form.computesGravatar, includesProfiles: true }
  const active = await findAccountList(db, actor, { which: 'active', ...options }, now)
  const deactivated = await findAccountList(db, actor, { which: 'deactivated', ...options }, now)
  if (active === null || deactivated === null) return null
  return {
    realm_users: new SharedValue('array', active),
    realm_non_active_users: new SharedValue('array', deactivated),
  }
}

async function renderAccounts(
  scope: StateScope,
  users: readonly User[],
): Promise<{ realm_users: UserJson[]; realm_non_active_users: UserJson[] }> {
  const profiles = await findProfiles(scope.db, scope.actor.realmId)
  const accounts = viewAccounts(scope, users, await findVisibleIds(scope), profiles)
  return {
    realm_users: accounts.filter((account) => account.is_active),
    realm_non_active_users: accounts.filter((account) => !account.is_active),
  }
}

function viewAccounts(
  { db, actor, form }: StateScope,
  users: readonly User[],
  visibleIds: ReadonlySet<number> | null,
  profiles: Profiles,
): UserJson[] {
  const { EXTERNAL_URL } = db.settings
  const options = { computesGravatar: form.computesGravatar, profiles }
  return users.flatMap((user) => {
    if (isVisible(visibleIds, user)) return toUserJson(actor, user, actor.realm, EXTERNAL_URL, options)
    return form.omitsUnknownUsers ? [] : toUnknownUserJson(user, actor.realm, EXTERNAL_URL)
  })
}

async function findSystemBots({ db, actor, form }: StateScope): Promise<UserJson[]> {
  const realm = await findRealmBySubdomain(db, SYSTEM_SUBDOMAIN)
  if (realm === null) throw new Error('The organization of the system bots is missing')
  const bots = await findRealmUsers(db, realm.id)
  return bots.map((bot) =>
    toUserJson(actor, bot, realm, db.settings.EXTERNAL_URL, { computesGravatar: form.computesGravatar }),
  )
}

export const ownAccountSlice = stateSlice({
  types: ['realm_user'],
  returns: {
    user_id: z.int(),
    email: z.string().describe('The API email address.'),
    delivery_email: z.string().describe('The real address.'),
    full_name: z.string(),
    avatar_source: z.enum(['G', 'U']).describe('Whether the picture is a gravatar or was uploaded.'),
    avatar_url: z.string(),
    avatar_url_medium: z.string(),
    is_owner: z.boolean(),
    is_admin: z.boolean(),
    is_moderator: z.boolean(),
    is_guest: z.boolean(),
    can_create_streams: z.boolean(),
    can_create_public_streams: z.boolean(),
    can_create_private_streams: z.boolean(),
    can_create_web_public_streams: z.boolean(),
    can_subscribe_other_users: z.boolean(),
    can_invite_others_to_realm: z.boolean(),
  },
  fetch({ db, actor, membership }) {
    const may = (permission: Parameters<typeof hasPermission>[2]) => hasPermission(membership, actor, permission)
    const mayCreate = {
      can_create_public_streams: may('can_create_public_channel_group'),
      can_create_private_streams: may('can_create_private_channel_group'),
      can_create_web_public_streams:
        actor.realm.settings.enable_spectator_access && may('can_create_web_public_channel_group'),
    }
    return {
      user_id: actor.id,
      email: apiEmail(actor, actor.realm, db.settings.EXTERNAL_URL),
      delivery_email: actor.deliveryEmail,
      full_name: actor.fullName,
      avatar_source: actor.avatarFile === null ? ('G' as const) : ('U' as const),
      avatar_url: ownAvatarUrl(actor),
      avatar_url_medium: mediumAvatarUrl(actor),
      is_owner: isOwner(actor),
      is_admin: isAdministrator(actor),
      is_moderator: actor.role === Role.moderator,
      is_guest: isGuest(actor),
      can_create_streams: Object.values(mayCreate).includes(true),
      ...mayCreate,
      can_subscribe_other_users: may('can_add_subscribers_group'),
      can_invite_others_to_realm: may('can_invite_users_group'),
    }
  },
})

export const botJson = z.strictObject({
  user_id: z.int(),
  email: z.string(),
  full_name: z.string(),
  bot_type: z.int().nullable(),
  is_active: z.boolean(),
  owner_id: z.int().nullable(),
  avatar_url: z.string(),
  services: z.array(z.strictObject(serviceFields)),
  ...botDefaultFields,
})

export const botSlice = stateSlice({
  types: ['realm_bot'],
  returns: { realm_bots: z.array(botJson).describe('Your own bots. Administrators get all bots.') },
  async fetch({ db, actor }) {
    const bots = (await findRealmBots(db, actor.realmId)).filter((bot) => isBotManager(actor, bot))
    const services = bots.length === 0 ? new Map() : await findBotServices(db, actor.realmId)
    return {
      realm_bots: bots.map((bot) =>
        toBotJson(bot, services.get(bot.id) ?? null, actor.realm, db.settings.EXTERNAL_URL),
      ),
    }
  },
})

export const statusSlice = stateSlice({
  types: ['user_status'],
  returns: {
    user_status: z.record(z.string(), statusJson).describe('By user id; users without a status are left out.'),
  },
  async fetch(scope) {
    const { db, actor, form } = scope
    const visibleIds = await findVisibleIds(scope)
    const statuses = [...(await findRealmStatuses(db, actor.realmId))]
    const visible = statuses.filter(([id]) => visibleIds === null || visibleIds.has(id))
    return {
      user_status: Object.fromEntries(visible.map(([id, status]) => [id, toStatusJson(status, form.extraEmojiType)])),
    }
  },
})

const NO_PRESENCE = -1

export const presenceSlice = stateSlice({
  types: ['presence'],
  returns: {
    presences: z.record(z.string(), z.unknown()).describe('In the format of `POST /users/me/presence`.'),
    presence_last_update_id: z.int().describe('For the `last_update_id` of the next report; -1 when there is none.'),
    server_timestamp: z.number().describe('UNIX seconds, with a fraction.'),
  },
  async fetch({ db, actor, board, form, now }) {
    if (actor.realm.settings.presence_disabled)
      return { presences: {}, presence_last_update_id: NO_PRESENCE, server_timestamp: now }
    const format = form.hasSlimPresence ? 'modern' : 'legacy'
    const collected = collectPresences(
      board,
      {
        format,
        lastUpdateId: null,
        historyLimitDays: form.presenceHistoryDays,
        viewerId: actor.id,
        visibleIds: await findPresenceVisibleIds(db, actor, now),
        addressVisibleIds: await findAddressVisibleIds(db, actor, format, now),
        now,
      },
      (person) => person.publicEmail ?? placeholderEmail(person.id, actor.realm, db.settings.EXTERNAL_URL),
    )
    return {
      presences: new SharedValue('object', collected.members),
      presence_last_update_id: collected.lastUpdateId ?? NO_PRESENCE,
      server_timestamp: now,
    }
  },
})

export const mutedUserSlice = stateSlice({
  types: ['muted_users'],
  returns: { muted_users: z.array(z.strictObject({ id: z.int(), timestamp: z.int() })) },
  async fetch({ db, actor }) {
    return { muted_users: (await findMutedUsers(db, actor.id)).map(toMutedUserJson) }
  },
})
