import { z } from 'zod'
import { type Call, endpoint, type PreparedJson } from '../http/endpoint.ts'
import { int64 } from '../http/params.ts'
import type { Realm } from '../organizations/realms/realm.ts'
import { insufficientPermission, noSuchUser } from '../people/users/access.ts'
import { placeholderEmail, type User } from '../people/users/user.ts'
import { refusal } from '../platform/errors/refusal.ts'
import { findAddressVisibleIds, findPresenceVisibleIds, notForBotUsers, requireUserForPresence } from './access.ts'
import type { PresenceBoard } from './board.ts'
import { type CollectedPresences, collectPresences, type PresenceQuery } from './collect-presences.ts'
import { isVisibleToOthers } from './entry.ts'
import { isOffline, isPresenceStatus, toWebsitePresenceJson } from './presence.ts'
import { reportPresence } from './report-presence.ts'

export const invalidStatus = refusal('BAD_REQUEST', 400, 'Invalid status: {status}')
export const noPresenceData = refusal('BAD_REQUEST', 400, 'No presence data for {idOrEmail}')

const status = z.enum(['active', 'idle'])
const modern = z.strictObject({ active_timestamp: z.int(), idle_timestamp: z.int() })
const aggregated = z.strictObject({ client: z.literal('website'), status, timestamp: z.int() })
const legacy = z.strictObject({ aggregated, website: aggregated.extend({ pushable: z.literal(false) }) })

const reportPresenceEndpoint = endpoint({
  route: 'POST /users/me/presence',
  summary: 'Report and fetch presence',
  description:
    'Reports whether the user is there, and answers whose presence changed. Clients call it once a minute, with the ' +
    '`presence_last_update_id` of the answer before.',
  who: 'human',
  params: {
    status: z
      .string()
      .meta({ enum: ['active', 'idle'] })
      .describe('Whether the user is at the device, or only connected.'),
    ping_only: z.boolean().default(false).describe('Whether to report alone: no presences are answered.'),
    new_user_input: z
      .boolean()
      .default(false)
      .describe('Whether the user touched the client since its last report; for statistics.'),
    slim_presence: z
      .boolean()
      .default(false)
      .describe('Deprecated. Presences by user id, which passing `last_update_id` means as well.'),
    last_update_id: int64.optional().describe('What the client has; -1 for nothing. The answer holds what is new.'),
    history_limit_days: int64
      .optional()
      .describe('Days beyond which presences are left out, 14 by default. Does not apply to what is new to a client.'),
  },
  returns: {
    presence_last_update_id: z
      .number()
      .meta({ type: 'integer', format: 'int64' })
      .describe('To be passed as `last_update_id` next time. -1 when nothing was passed and nothing is answered.'),
    server_timestamp: z.number().optional().describe('UNIX seconds, with a fraction.'),
    presences: z
      .record(z.string(), z.union([modern, legacy]))
      .optional()
      .describe('By user id; by e-mail address with another content where neither option asks for ids.'),
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
      shape: params.slim_presence || lastUpdateId !== null ? 'modern' : 'legacy',
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
  summary: 'Fetch the presence of everybody',
  description: 'Of all whose client was connected in the last 14 days.',
  who: 'user',
  returns: { server_timestamp: z.number(), presences: z.record(z.string(), legacy).describe('By API e-mail address.') },
  async handle(call) {
    const now = call.clock.now()
    const collected = await collect(call, now, { shape: 'legacy', lastUpdateId: null, historyLimitDays: null })
    return presencesJson(`"server_timestamp":${now}`, collected)
  },
})

const shortPresence = z.strictObject({ status: z.enum(['active', 'idle', 'offline']), timestamp: z.int() })

const presenceJson = z
  .strictObject({ aggregated: shortPresence, website: shortPresence })
  .describe('`aggregated` says `offline` when the last sign of the person is older than 200 seconds.')

const getUserPresenceEndpoint = endpoint({
  route: 'GET /users/{user_id_or_email}/presence',
  summary: 'Fetch the presence of one person',
  who: 'user',
  path: { user_id_or_email: z.string().describe('A user id, or an API e-mail address.') },
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
  summary: 'Fetch your presence as others see it',
  description: 'What fetching your presence answers to everybody else who may know of you.',
  who: 'human',
  returns: {
    presence: presenceJson.nullable().describe('Null when others are answered that there is no presence data.'),
  },
  async handle({ clock, presence, actor }) {
    const seen = { isOwn: false, realm: actor.realm, now: clock.now() }
    return { presence: await readPresence(presence, actor, seen) }
  },
})

/** What is answered of somebody's presence, to themselves or to others who may know of them; null for nothing. */
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

/** What of the organization's presences the caller may see; nothing where nobody's is told to anybody. */
async function collect(
  { db, presence, actor }: Call,
  now: number,
  query: Pick<PresenceQuery, 'shape' | 'lastUpdateId' | 'historyLimitDays'>,
): Promise<CollectedPresences> {
  if (actor.realm.settings.presence_disabled) return { members: [], lastUpdateId: null }
  const visibleIds = await findPresenceVisibleIds(db, actor, now)
  const knownIds = await findAddressVisibleIds(db, actor, query.shape, now)
  const board = await presence.forRealm(actor.realmId)
  return collectPresences(
    board,
    { ...query, viewerId: actor.id, visibleIds, knownIds, now },
    (person) => person.publicEmail ?? placeholderEmail(person.id, actor.realm, db.settings.EXTERNAL_URL),
  )
}

function presencesJson(fields: string, { members }: CollectedPresences): PreparedJson {
  return { preparedJson: { before: `${fields},"presences":{`, members, after: '}' } }
}
