import { z } from 'zod'
import type { Settings } from '#config.ts'
import { findMembershipScope, viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { anyInteger, int64 } from '#http/params.ts'
import { refusal } from '#lib/errors.ts'
import { FEATURE_LEVEL, PROTOCOL_VERSION } from '#lib/protocol.ts'
import { hashSecret } from '#lib/secrets.ts'
import { fieldsJson } from '#lib/shared-json.ts'
import { extraEmojiType } from '#messages/message.ts'
import { MAX_TERMS } from '#messages/narrow.ts'
import { withActingRole } from '#people/bots.ts'
import { findUser } from '#people/user-queries.ts'
import { type Actor, isSpectator } from '#people/users.ts'
import type { RealmBoard } from '#presence/board.ts'
import { findRealm } from '#realms/queries.ts'
import { isGuest } from '#rules/role.ts'
import { bypassCaches } from '#storage/cache.ts'
import { findLastEventId } from '#storage/event-log.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import {
  type EventQueue,
  MAX_REGISTRATION_LENGTH,
  type QueueForm,
  toEventId,
  toEventIdJson,
} from './queues/event-queue.ts'
import { narrowOperators, narrowTraits } from './queues/narrow.ts'
import { saveQueue } from './queues/queries.ts'
import { DEFAULT_LIFESPAN, MAX_LIFESPAN } from './queues/queue-registry.ts'
import { prepareAccountLists } from './state/people.ts'
import { receivesEmail, stateOfSettings } from './state/server.ts'
import type { StateOptions, StateScope } from './state/slice.ts'
import { fetchSpectatorState } from './state/spectators.ts'
import { fetchState, stateFields } from './state/state.ts'

// Registering an event queue: the state that a client asks for, and the id of the last event that the state includes,
// so that a client that applies the events after it misses nothing and applies nothing twice.

type Registration = {
  form: QueueForm
  options: StateOptions
  /** The event types whose state the client asked for; null for all. */
  stateTypes: readonly string[] | null
  /** Seconds without a poll after which the queue expires. */
  lifespan: number
  /** The time at which this server process was started. */
  startedAt: number
}

type Registered = { queue: EventQueue; state: Record<string, unknown> }

/**
 * Creates a queue and reads the state as of the event before it. The events of the queue then keep the state up to
 * date. Runs in a snapshot. Presences come from memory, so this guarantee does not cover them.
 */
async function register(
  tx: Transaction,
  actor: Actor,
  board: RealmBoard,
  registration: Registration,
): Promise<Registered> {
  const { form, lifespan } = registration
  const { id: userId, realmId } = actor
  bypassCaches(tx)
  const startId = await findLastEventId(tx.db, realmId)
  const current = await findCurrent(tx.db, actor)
  const membership = await findMembershipScope(tx.db, current, tx.now)
  const state = await fetchState(
    toStateScope({ db: tx.db, actor: current, now: tx.now, membership, board }, registration),
  )
  return { queue: await saveQueue(tx, { realmId, userId, startId, lifespan, form }), state }
}

type Reader = Pick<StateScope, 'db' | 'actor' | 'now' | 'membership' | 'board'>

const toStateScope = (reader: Reader, { form, options, stateTypes, startedAt }: Registration): StateScope => ({
  ...reader,
  startedAt,
  form: { ...form, ...options },
  wants: (type) => stateTypes === null || stateTypes.includes(type),
  names: (type) => stateTypes?.includes(type) ?? false,
})

/** Spectators have no event queue. */
const NO_QUEUE = { queue_id: null, last_event_id: -1 }

/** Returns a text that changes with the part of the state that follows from the settings of the server. */
export const settingsVersion = (settings: Settings): string =>
  hashSecret(JSON.stringify([stateOfSettings(settings), receivesEmail(settings), settings.EXTERNAL_URL])).slice(0, 16)

const versions = {
  zulip_version: PROTOCOL_VERSION,
  zulip_feature_level: FEATURE_LEVEL,
  zulip_merge_base: PROTOCOL_VERSION,
}

/** Reads the account and its organization, which may have changed since the request was authenticated. */
async function findCurrent(db: Db, { id, realmId }: Actor): Promise<Actor> {
  const user = await findUser(db, id)
  const realm = await findRealm(db, realmId)
  if (user === null || realm === null) throw new Error(`User ${id} was deleted`)
  return { ...(await withActingRole(db, user)), realm }
}

const unsupportedOperator = refusal('BAD_REQUEST', 400, 'Operator {operator} not supported.')
const unsupportedOperand = refusal('BAD_REQUEST', 400, 'Operand {operand} not supported.')
const guestsCannotQueryAllPublic = refusal('BAD_REQUEST', 400, 'User not authorized for this query')
const registrationTooLong = refusal(
  'BAD_REQUEST',
  400,
  `{name} is too long (limit: ${MAX_REGISTRATION_LENGTH} characters)`,
  { field: '{name}' },
)

/** The number of people in the state that cost one unit of work. The length of the response is charged as well. */
const PEOPLE_PER_UNIT = 100

const eventTypes = z.array(z.string()).nullish()

const capability = z.boolean().default(false)

/** Accepts capabilities that this server does not know, because clients send them too. */
const capabilities = z.looseObject({
  archived_channels: capability.describe('The client knows archived channels.'),
  bulk_message_deletion: capability.describe('Messages that are deleted together come in one event.'),
  empty_topic_name: capability.describe('The empty topic may come as an empty string.'),
  include_deactivated_groups: capability.describe('The client knows deactivated groups.'),
  linkifier_url_template: capability.describe('The client knows URL templates and receives linkifiers.'),
  notification_settings_null: capability.describe(
    "Notification settings of a subscription may be null where the user's settings apply.",
  ),
  parley_extensions: capability.describe(
    'The client receives fields that only this server has. Strict clients of other servers refuse them.',
  ),
  stream_typing_notifications: capability.describe('The client receives typing notifications of channels.'),
  user_avatar_url_field_optional: capability.describe('Avatars may be left out, which this server never does.'),
  user_list_incomplete: capability.describe(
    'Users whom you cannot see may be left out, and with `parley_extensions` others in large organizations.',
  ),
  user_settings_object: capability.describe('Settings come in `user_settings` only.'),
})

export const registerQueue = endpoint({
  route: 'POST /register',
  summary: 'Register an event queue',
  description:
    'Creates an event queue and returns the state that its events keep up to date. The queue expires when it is not polled ' +
    'for `queue_lifespan_secs`. Without an account, returns only the state that is open to everyone, and creates no queue.',
  who: 'spectator',
  params: {
    event_types: eventTypes.describe('The types of events to receive; all when omitted or null.'),
    fetch_event_types: eventTypes.describe(
      'The types of events whose state is returned. By default, those of `event_types`.',
    ),
    narrow: z
      .array(z.tuple([z.string(), z.string()]))
      .max(MAX_TERMS)
      .nullish()
      .describe('Pairs of operator and operand that messages must match.'),
    all_public_streams: z
      .boolean()
      .default(false)
      .describe('Whether to receive messages of public channels without a subscription.'),
    apply_markdown: z.boolean().default(false).describe('Whether messages are rendered as HTML.'),
    client_gravatar: z
      .boolean()
      .default(true)
      .describe('Whether the client computes gravatars, so that their URLs may be left out.'),
    slim_presence: z.boolean().default(false).describe('Whether presences are keyed by user id.'),
    include_subscribers: z.boolean().default(false).describe('Whether to include the subscribers of each channel.'),
    client_capabilities: capabilities.prefault({}).describe('Features that only some clients support.'),
    presence_history_limit_days: int64
      .optional()
      .describe('Presences older than this number of days are left out, 14 by default.'),
    queue_lifespan_secs: anyInteger
      .optional()
      .describe(
        `Seconds without a poll after which the queue expires: ${DEFAULT_LIFESPAN} by default, ${MAX_LIFESPAN} at most.`,
      ),
  },
  returns: {
    queue_id: z.string().nullable().describe('Null without an account.'),
    last_event_id: z.int().describe('The `last_event_id` of the first poll.'),
    zulip_version: z.string(),
    zulip_feature_level: z.int(),
    zulip_merge_base: z.string(),
    ...stateFields,
  },
  refuses: [registrationTooLong, unsupportedOperator, unsupportedOperand, guestsCannotQueryAllPublic],
  async handle(call, params) {
    const { actor, db } = call
    const eventTypes = params.event_types ?? null
    const narrow = params.narrow ?? []
    requireShort('event_types', eventTypes)
    requireShort('narrow', narrow)
    for (const term of narrow) requireKnownTerm(...term)
    if (params.all_public_streams && isGuest(actor)) throw guestsCannotQueryAllPublic()

    const can = params.client_capabilities
    const registration = {
      form: {
        eventTypes,
        narrow,
        allPublicChannels: params.all_public_streams,
        appliesMarkdown: params.apply_markdown,
        computesGravatar: params.client_gravatar,
        hasSlimPresence: params.slim_presence,
        extraEmojiType: extraEmojiType(call),
        ...formOf(can),
      },
      options: {
        includesSubscribers: params.include_subscribers,
        presenceHistoryDays: params.presence_history_limit_days ?? null,
      },
      stateTypes: params.fetch_event_types ?? eventTypes,
      lifespan: lifespanOf(params.queue_lifespan_secs),
      startedAt: call.startedAt,
    }
    const board = await call.presence.forRealm(actor.realmId)
    if (isSpectator(actor)) {
      const now = call.clock.now()
      const scope = toStateScope(
        { db, actor, now, board, membership: await viewerOf(db, actor, now).scope() },
        registration,
      )
      return { ...NO_QUEUE, ...versions, ...(await fetchSpectatorState(scope)) }
    }
    const { form, options, stateTypes } = registration
    if (stateTypes === null || stateTypes.includes('realm_user'))
      await prepareAccountLists({ db, actor, form: { ...form, ...options }, now: call.clock.now() })
    await call.hub.open(actor.realmId)
    const { queue, state } = await call.transaction((tx) => register(tx, actor, board, registration), {
      isSnapshot: true,
    })
    const { realm_users: people } = state
    if (Array.isArray(people)) call.charge(people.length / PEOPLE_PER_UNIT)
    const result = { queue_id: queue.id, last_event_id: toEventIdJson(toEventId(queue.startId)), ...versions, ...state }
    return { preparedJson: fieldsJson(result) }
  },
})

/** Refuses a parameter whose JSON is too long. This limits the space of each queue in the database and in memory. */
function requireShort(name: string, asked: unknown): void {
  if (JSON.stringify(asked).length > MAX_REGISTRATION_LENGTH) throw registrationTooLong({ name })
}

/** Refuses unknown terms, because a narrow with such a term would silently exclude all messages. */
function requireKnownTerm(operator: string, operand: string): void {
  if (!(narrowOperators as readonly string[]).includes(operator)) throw unsupportedOperator({ operator })
  if (operator === 'is' && !(narrowTraits as readonly string[]).includes(operand)) throw unsupportedOperand({ operand })
}

type Capabilities = z.infer<typeof capabilities>

const formOf = (can: Capabilities) => ({
  allowsEmptyTopic: can.empty_topic_name,
  takesBulkDeletions: can.bulk_message_deletion,
  takesUserSettings: can.user_settings_object,
  takesStreamTyping: can.stream_typing_notifications,
  includesDeactivatedGroups: can.include_deactivated_groups,
  takesArchivedChannels: can.archived_channels,
  takesUnsetNotifications: can.notification_settings_null,
  takesLinkifierTemplates: can.linkifier_url_template,
  takesExtensions: can.parley_extensions,
  omitsUnknownUsers: can.user_list_incomplete,
})

/** Returns the requested lifespan, but not less than the default and not more than the maximum. */
const lifespanOf = (asked = DEFAULT_LIFESPAN) => Math.min(Math.max(asked, DEFAULT_LIFESPAN), MAX_LIFESPAN)
