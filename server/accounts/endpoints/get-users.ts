import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { type Call, endpoint } from '#http/endpoint.ts'
import { fieldsJson, type JsonMembers, SharedValue } from '#lib/shared-json.ts'
import { insufficientPermission, noSuchUser, requireUser, requireUserByEmail } from '#people/access.ts'
import { findAccountList, noteAccounts } from '#people/account-lists.ts'
import { findProfiles } from '#people/profile-fields.ts'
import { toUnknownUserJson, toUserJson, type UserJson, userJson } from '#people/user-json.ts'
import { findNewestMessageId, findRealmUsers, findUsersById } from '#people/user-queries.ts'
import { isVisible, ownAvatarUrl, type User } from '#people/users.ts'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import { searchAccounts } from './search-accounts.ts'

/** The parameters that choose the format in which endpoints return accounts. */
const userFormatParams = {
  client_gravatar: z
    .boolean()
    .default(true)
    .describe('Whether the client computes gravatars itself, so that their URLs can be left out.'),
  include_custom_profile_fields: z.boolean().default(false).describe('Whether users are returned with `profile_data`.'),
}

type UserFormat = { client_gravatar: boolean; include_custom_profile_fields: boolean }

/** The maximum number of users that a client can request by id, and that a search returns. */
const MAX_IDS = 500
const MAX_FOUND = 100

/** Returns the accounts as the actor sees them. Accounts that the actor may not see have no name. */
async function viewUsers(call: Call, users: readonly User[], format: UserFormat): Promise<UserJson[]> {
  const { actor, db, settings } = call
  const visible = await viewerOf(db, actor, call.clock.now()).visibleIds()
  const url = settings.EXTERNAL_URL
  const profiles = format.include_custom_profile_fields ? await findProfiles(db, actor.realmId) : undefined
  const options = { computesGravatar: format.client_gravatar, profiles }
  return users.map((user) =>
    isVisible(visible, user)
      ? toUserJson(actor, user, actor.realm, url, options)
      : toUnknownUserJson(user, actor.realm, url),
  )
}

/** Returns all accounts as prepared JSON; null if the actor may not see them all, or if there is no such list. */
async function findList({ actor, db, clock }: Call, format: UserFormat): Promise<readonly JsonMembers[] | null> {
  const now = clock.now()
  if ((await viewerOf(db, actor, now).visibleIds()) !== null) return null
  const { client_gravatar: computesGravatar, include_custom_profile_fields: includesProfiles } = format
  return findAccountList(db, actor, { which: 'all', computesGravatar, includesProfiles }, now)
}

/** Returns the account as the actor sees it. Refuses if the actor may not see it. */
async function viewUser(call: Call, user: User, format: UserFormat): Promise<UserJson> {
  const { actor, db, settings } = call
  const visible = await viewerOf(db, actor, call.clock.now()).visibleIds()
  if (!isVisible(visible, user)) throw insufficientPermission()
  const profiles = format.include_custom_profile_fields ? await findProfiles(db, actor.realmId, user.id) : undefined
  return toUserJson(actor, user, actor.realm, settings.EXTERNAL_URL, {
    computesGravatar: format.client_gravatar,
    profiles,
  })
}

export const getUsers = endpoint({
  route: 'GET /users',
  summary: 'List the users of the organization',
  description: 'Includes bots and deactivated users, ordered by id.',
  who: 'user',
  params: {
    user_ids: z
      .array(z.int())
      .max(MAX_IDS)
      .optional()
      .describe(`Only these users, as in later reference servers; at most ${MAX_IDS}. Unknown ids are skipped.`),
    ...userFormatParams,
  },
  returns: { members: z.array(userJson) },
  async handle(call, { user_ids: ids, ...format }) {
    if (ids !== undefined) return { members: await viewUsers(call, await findMembers(call, ids), format) }
    const list = await findList(call, format)
    if (list !== null) return { preparedJson: fieldsJson({ members: new SharedValue('array', list) }) }
    const users = await findRealmUsers(call.db, call.actor.realmId)
    noteAccounts(call.db, call.actor.realmId, users.length)
    return { members: await viewUsers(call, users, format) }
  },
})

/** Returns the accounts of the organization with these ids, ordered by id. */
async function findMembers({ db, actor }: Call, ids: readonly number[]): Promise<User[]> {
  const users = (await findUsersById(db, ids)).filter(({ realmId }) => realmId === actor.realmId)
  return users.sort((one, other) => one.id - other.id)
}

/** The number of accounts that the search compares for one unit of work. */
const SEARCHED_PER_UNIT = 5000

export const searchUsers = endpoint({
  route: 'GET /users/search',
  summary: 'Search for users',
  description:
    'Returns active users, and bots, whose name contains the query, without regard to case and accents, or whose ' +
    'address begins with it and is visible to you. The best matches come first. For clients that do not have all users.',
  who: 'user',
  params: {
    query: z.string().min(1).max(MAX_LENGTH.fullName).describe('The beginning of a name, a word of it, or an address.'),
    limit: z.int().min(1).max(MAX_FOUND).default(20).describe(`The maximum number of users, at most ${MAX_FOUND}.`),
    ...userFormatParams,
  },
  returns: { members: z.array(userJson) },
  async handle(call, { query, limit, ...format }) {
    const { db, actor, clock } = call
    const visibleIds = await viewerOf(db, actor, clock.now()).visibleIds()
    const { users, compared } = await searchAccounts(db, actor, visibleIds, { query, limit })
    call.charge(compared / SEARCHED_PER_UNIT)
    return { members: await viewUsers(call, users, format) }
  },
})

export const getUser = endpoint({
  route: 'GET /users/{user_id}',
  summary: 'Get a user by id',
  who: 'user',
  params: userFormatParams,
  returns: { user: userJson },
  refuses: [noSuchUser, insufficientPermission],
  async handle(call, { user_id, ...format }) {
    return { user: await viewUser(call, await requireUser(call.db, call.actor, user_id), format) }
  },
})

export const getUserByEmail = endpoint({
  route: 'GET /users/{email}',
  summary: 'Get a user by email address',
  description:
    'Real addresses only match users whose address you may see. Placeholders such as `user17@…` match every user.',
  who: 'user',
  path: { email: z.string() },
  params: userFormatParams,
  returns: { user: userJson },
  refuses: [noSuchUser, insufficientPermission],
  async handle(call, { email, ...format }) {
    const { db, actor, clock } = call
    const visibleIds = await viewerOf(db, actor, clock.now()).visibleIds()
    return { user: await viewUser(call, await requireUserByEmail(db, actor, email, visibleIds), format) }
  },
})

const { delivery_email: _, avatar_url: __, ...shared } = userJson.shape

export const getOwnUser = endpoint({
  route: 'GET /users/me',
  summary: 'Get your own user',
  who: 'user',
  returns: {
    ...shared,
    delivery_email: z.string(),
    avatar_url: z.string(),
    bot_type: shared.bot_type.unwrap().optional().describe('Only present for bots.'),
    bot_owner_id: shared.bot_owner_id.optional().describe('Only present for bots.'),
    max_message_id: z.int().describe('The id of the newest message that you received, or -1 if there is none.'),
  },
  async handle({ db, actor, settings }) {
    const format = { computesGravatar: false, profiles: await findProfiles(db, actor.realmId, actor.id) }
    const { bot_type, bot_owner_id, ...own } = toUserJson(actor, actor, actor.realm, settings.EXTERNAL_URL, format)
    return {
      ...own,
      ...(bot_type !== null && { bot_type, bot_owner_id }),
      delivery_email: actor.deliveryEmail,
      avatar_url: ownAvatarUrl(actor),
      max_message_id: (await findNewestMessageId(db, actor.id, { withArchived: true })) ?? -1,
    }
  },
})
