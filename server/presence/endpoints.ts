import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { type Call, endpoint, type PreparedJson } from '#http/endpoint.ts'
import { int64 } from '#http/params.ts'
import { refusal } from '#lib/errors.ts'
import { findUserByApiEmail, insufficientPermission, noSuchUser } from '#people/access.ts'
import { findUser } from '#people/user-queries.ts'
import { type Actor, isBot, isVisible, placeholderEmail, type User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import { isGuest } from '#rules/role.ts'
import type { Db } from '#storage/storage.ts'
import { type CollectedPresences, collectPresences, type PresenceBoard, type PresenceQuery } from './board.ts'
import { reportPresence } from './change-presence.ts'
import {
  isOffline,
  isPresenceStatus,
  isVisibleToOthers,
  type PresenceFormat,
  toWebsitePresenceJson,
} from './presence.ts'

// The endpoints of presence, in the newer and the older format. Users whom the caller may not see, who do not share
// their presence, or whose address is hidden are left out in the same way as missing ones.

const notForBotUsers = refusal('BAD_REQUEST', 400, 'Presence is not supported for bot users.')

/**
 * Returns the ids of the users whose presence the actor may see; null if the actor may see the presence of everyone in
 * the organization. Only some guests are limited.
 */
export function findPresenceVisibleIds(db: Db, actor: Actor, now: number): Promise<ReadonlySet<number> | null> | null {
  return db.settings.CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE ? viewerOf(db, actor, now).visibleIds() : null
}

/**
 * Returns the ids of the users whose email address the actor may see in presences. Returns null if the actor may see
 * all addresses, or if presences in this format contain no addresses.
 */
export function findAddressVisibleIds(
  db: Db,
  actor: Actor,
  format: PresenceFormat,
  now: number,
): Promise<ReadonlySet<number> | null> | null {
  return format === 'legacy' && isGuest(actor) ? viewerOf(db, actor, now).visibleIds() : null
}

/**
 * Returns the user with this id (in digits) or API email address, if the actor may see their presence. The user need
 * not have reported one.
 */
async function requireUserForPresence(db: Db, actor: Actor, idOrEmail: string, now: number): Promise<User> {
  const user = /^\d+$/.test(idOrEmail)
    ? await findUser(db, Math.min(Number(idOrEmail), Number.MAX_SAFE_INTEGER))
    : await findVisibleUserByEmail(db, actor, idOrEmail, now)
  if (user === null || user.realmId !== actor.realmId || user.deactivatedAt !== null) throw noSuchUser()
  if (isBot(user)) throw notForBotUsers()
  const visibleIds = await findPresenceVisibleIds(db, actor, now)
  if (visibleIds !== null && !visibleIds.has(user.id)) throw insufficientPermission()
  return user
}

async function findVisibleUserByEmail(db: Db, actor: Actor, email: string, now: number): Promise<User | null> {
  const visibleIds = await viewerOf(db, actor, now).visibleIds()
  return findUserByApiEmail(db, actor.realm, email, (user) => isVisible(visibleIds, user))
}

const invalidStatus = refusal('BAD_REQUEST', 400, 'Invalid status: {status}', { field: 'status' })
const noPresenceData = refusal('BAD_REQUEST', 400, 'No presence data for {idOrEmail}')

const status = z.enum(['active', 'idle'])
const modern = z.strictObject({ active_timestamp: z.int(), idle_timestamp: z.int() })
const aggregated = z.strictObject({ client: z.literal('website'), status, timestamp: z.int() })
const legacy = z.strictObject({ aggregated, website: aggregated.extend({ pushable: z.literal(false) }) })

const reportPresenceEndpoint = endpoint({
  route: 'POST /users/me/presence',
  priority: 'urgent',
  summary: 'Report and get presence',
  description:
    'Reports the status of the user, and returns the presence of users whose presence changed. Clients call ' +
    'this once a minute, with the `presence_last_update_id` of the previous response.',
  who: 'human',
  params: {
    status: z
      .string()
      .meta({ enum: ['active', 'idle'] })
      .describe('Whether the user is active, or only connected.'),
    ping_only: z.boolean().default(false).describe('Whether to report only, without fetching presences.'),
    new_user_input: z
      .boolean()
      .default(false)
      .describe('Whether there was user input since the last report, for statistics.'),
    slim_presence: z
      .boolean()
      .default(false)
      .describe('Deprecated. Returns presences by user id, as `last_update_id` does as well.'),
    last_update_id: int64
      .optional()
      .describe(
        'The update id up to which the client is current; -1 for nothing. The response contains newer presences.',
      ),
    history_limit_days: int64
      .optional()
      .describe(
        'Presences older than this number of days are left out, 14 by default. Ignored if ' +
          '`last_update_id` is greater than 0.',
      ),
  },
  returns: {
    presence_last_update_id: z
      .number()
      .meta({ type: 'integer', format: 'int64' })
      .describe('The value of `last_update_id` for the next call. -1 if none was sent and no presences are returned.'),
    server_timestamp: z.number().optional().describe('UNIX seconds, with a fraction.'),
    presences: z
      .record(z.string(), z.union([modern, legacy]))
      .optional()
      .describe(
        'By user id. In the older format by email address if the request has neither `last_update_id` nor ' +
          '`slim_presence`.',
      ),
  },
  refuses: [invalidStatus],
  async handle(call, params) {
    if (!isPresenceStatus(params.status)) throw invalidStatus({ status: params.status })
    const now = call.clock.now()
    await reportPresence(call, call.actor, params.status, now)
    if (params.new_user_input) call.presence.recordInput(call.actor.id, now)

    const lastUpdateId = params.last_update_id ?? null
    if (params.ping_only) return { preparedJson: `"presence_last_update_id":${lastUpdateId ?? -1}` }
    const collected = await collect(call, now, {
      format: params.slim_presence || lastUpdateId !== null ? 'modern' : 'legacy',
      lastUpdateId,
      historyLimitDays: params.history_limit_days ?? null,
    })
    return presencesJson(
      `"presence_last_update_id":${collected.lastUpdateId ?? lastUpdateId ?? -1},"server_timestamp":${now}`,
      collected,
    )
  },
})

const getRealmPresenceEndpoint = endpoint({
  route: 'GET /realm/presence',
  priority: 'urgent',
  summary: 'Get the presence of all users',
  description: 'The users whose clients were connected in the last 14 days.',
  who: 'user',
  returns: { server_timestamp: z.number(), presences: z.record(z.string(), legacy).describe('By API email address.') },
  async handle(call) {
    const now = call.clock.now()
    const collected = await collect(call, now, { format: 'legacy', lastUpdateId: null, historyLimitDays: null })
    return presencesJson(`"server_timestamp":${now}`, collected)
  },
})

const shortPresence = z.strictObject({ status: z.enum(['active', 'idle', 'offline']), timestamp: z.int() })

const presenceJson = z
  .strictObject({ aggregated: shortPresence, website: shortPresence })
  .describe('`status` in `aggregated` is `offline` if the user was last seen more than 200 seconds ago.')

const getUserPresenceEndpoint = endpoint({
  route: 'GET /users/{user_id_or_email}/presence',
  summary: 'Get the presence of a user',
  who: 'user',
  path: { user_id_or_email: z.string().describe('A user id or an API email address.') },
  returns: {
    presence: presenceJson,
  },
  refuses: [noSuchUser, notForBotUsers, insufficientPermission, noPresenceData],
  async handle({ db, clock, presence, actor }, { user_id_or_email: idOrEmail }) {
    const now = clock.now()
    const user = await requireUserForPresence(db, actor, idOrEmail, now)
    const shown = await readPresence(presence, user, { isOwn: user.id === actor.id, realm: actor.realm, now })
    if (shown === null) throw noPresenceData({ idOrEmail })
    return { presence: shown }
  },
})

const getPresenceAsSeen = endpoint({
  route: 'GET /users/me/presence/as_seen',
  summary: 'Get your presence as others see it',
  description: 'Your presence, as returned to users who may see you.',
  who: 'human',
  returns: {
    presence: presenceJson.nullable().describe('Null if other users get the error that there is no presence data.'),
  },
  async handle({ clock, presence, actor }) {
    const view = { isOwn: false, realm: actor.realm, now: clock.now() }
    return { presence: await readPresence(presence, actor, view) }
  },
})

/** Returns a user's presence, as the user sees it (`isOwn`) or as others see it; null if there is none to show. */
async function readPresence(
  board: PresenceBoard,
  person: Pick<User, 'id' | 'realmId' | 'joinedAt'>,
  { isOwn, realm, now }: { isOwn: boolean; realm: Realm; now: number },
): Promise<z.infer<typeof presenceJson> | null> {
  const entry = (await board.forRealm(person.realmId)).find(person.id)
  if (entry === null || realm.settings.presence_disabled || !(isOwn || isVisibleToOthers(entry))) return null
  const { status, timestamp } = toWebsitePresenceJson(entry, person.joinedAt)
  const aggregated = { status: isOffline(timestamp, now) ? ('offline' as const) : status, timestamp }
  return { aggregated, website: { status, timestamp } }
}

export const presenceEndpoints = [
  reportPresenceEndpoint,
  getRealmPresenceEndpoint,
  getUserPresenceEndpoint,
  getPresenceAsSeen,
]

/**
 * Returns the presences of the organization that the caller may see; none if the organization has disabled presence.
 */
async function collect(
  { db, presence, actor }: Call,
  now: number,
  query: Pick<PresenceQuery, 'format' | 'lastUpdateId' | 'historyLimitDays'>,
): Promise<CollectedPresences> {
  if (actor.realm.settings.presence_disabled) return { members: [], lastUpdateId: null }
  const visibleIds = await findPresenceVisibleIds(db, actor, now)
  const addressVisibleIds = await findAddressVisibleIds(db, actor, query.format, now)
  const board = await presence.forRealm(actor.realmId)
  return collectPresences(
    board,
    { ...query, viewerId: actor.id, visibleIds, addressVisibleIds, now },
    (person) => person.publicEmail ?? placeholderEmail(person.id, actor.realm, db.settings.EXTERNAL_URL),
  )
}

function presencesJson(fields: string, { members }: CollectedPresences): PreparedJson {
  return { preparedJson: [`${fields},"presences":{`, members, '}'] }
}
