import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { anyInteger, int64 } from '../../http/params.ts'
import { extraEmojiType } from '../../messages/endpoints/extra-emoji-type.ts'
import { MAX_TERMS } from '../../messages/narrow/term.ts'
import { isGuest } from '../../people/users/role.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import { FEATURE_LEVEL, PROTOCOL_VERSION } from '../../platform/runtime/protocol.ts'
import { narrowOperators, narrowTraits } from '../queues/narrow.ts'
import { DEFAULT_LIFESPAN, MAX_LIFESPAN, MAX_REGISTRATION_LENGTH, toEventId } from '../queues/queue.ts'
import { register } from '../register.ts'
import { stateFields } from '../state/state.ts'

export const unsupportedOperator = refusal('BAD_REQUEST', 400, 'Operator {operator} not supported.')
export const unsupportedOperand = refusal('BAD_REQUEST', 400, 'Operand {operand} not supported.')
export const guestsCannotQueryAllPublic = refusal('BAD_REQUEST', 400, 'User not authorized for this query')
export const registrationTooLong = refusal(
  'BAD_REQUEST',
  400,
  `{name} is too long (limit: ${MAX_REGISTRATION_LENGTH} characters)`,
)

const eventTypes = z.array(z.string()).nullish()

const capability = z.boolean().default(false)

/** Further ones may be named: clients say what other servers do for them. */
const capabilities = z.looseObject({
  archived_channels: capability.describe('Archived channels are told of, too.'),
  bulk_message_deletion: capability.describe('Messages deleted together are told of in one event.'),
  empty_topic_name: capability.describe('The topic without a name may come as an empty string.'),
  include_deactivated_groups: capability.describe('Deactivated groups are told of, too.'),
  linkifier_url_template: capability.describe('Linkifiers are told of.'),
  notification_settings_null: capability.describe(
    "What a subscription leaves to the user's settings may come as null.",
  ),
  stream_typing_notifications: capability.describe('Typing in channels is told of.'),
  user_avatar_url_field_optional: capability.describe('Avatars may be left out; they never are.'),
  user_list_incomplete: capability.describe('People whom you may not know of may be left out.'),
  user_settings_object: capability.describe('Settings come as `user_settings` alone.'),
})

export const registerQueue = endpoint({
  route: 'POST /register',
  summary: 'Register an event queue',
  description:
    'Begins a queue of events, and answers the state that they change. The queue ends when nobody has polled it for ' +
    '`queue_lifespan_secs`.',
  who: 'user',
  params: {
    event_types: eventTypes.describe('Which events to tell; all, when omitted or null.'),
    fetch_event_types: eventTypes.describe('Whose state to answer, when not that of `event_types`.'),
    narrow: z
      .array(z.tuple([z.string(), z.string()]))
      .max(MAX_TERMS)
      .nullish()
      .describe('Pairs of operator and operand that messages must fit to be told of.'),
    all_public_streams: z
      .boolean()
      .default(false)
      .describe('Whether to tell of the messages of all public channels, subscribed or not.'),
    apply_markdown: z.boolean().default(false).describe('Whether messages come as HTML.'),
    client_gravatar: z
      .boolean()
      .default(true)
      .describe('Whether the client computes gravatars, so that their URLs may be left out.'),
    slim_presence: z.boolean().default(false).describe('Whether presences come by user id.'),
    include_subscribers: z.boolean().default(false).describe('Whether to list the subscribers of each channel.'),
    client_capabilities: capabilities.prefault({}).describe('What the client can handle that not all clients can.'),
    presence_history_limit_days: int64.optional().describe('Days beyond which presences are left out, 14 by default.'),
    queue_lifespan_secs: anyInteger
      .optional()
      .describe(`How long the queue may go without a poll: ${DEFAULT_LIFESPAN} by default, ${MAX_LIFESPAN} at most.`),
  },
  returns: {
    queue_id: z.string(),
    last_event_id: z.int().describe('To be passed with the first poll.'),
    zulip_version: z.string(),
    zulip_feature_level: z.int(),
    zulip_merge_base: z.string(),
    ...stateFields,
  },
  refuses: [registrationTooLong, unsupportedOperator, unsupportedOperand, guestsCannotQueryAllPublic],
  async handle(call, params) {
    const { actor } = call
    const eventTypes = params.event_types ?? null
    const narrow = params.narrow ?? []
    requireBrief('event_types', eventTypes)
    requireBrief('narrow', narrow)
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
    }
    const board = await call.presence.forRealm(actor.realmId)
    const { queue, state } = await call.transaction((tx) => register(tx, actor, board, registration), {
      isSnapshot: true,
    })
    return {
      queue_id: queue.id,
      last_event_id: toEventId(queue.startId),
      zulip_version: PROTOCOL_VERSION,
      zulip_feature_level: FEATURE_LEVEL,
      zulip_merge_base: PROTOCOL_VERSION,
      ...state,
    }
  },
})

/** What a queue asks for is kept, in memory too, for as long as the queue. */
function requireBrief(name: string, asked: unknown): void {
  if (JSON.stringify(asked).length > MAX_REGISTRATION_LENGTH) throw registrationTooLong({ name })
}

/** A term that is not known would hold back every message, in silence. */
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
  omitsUnknownUsers: can.user_list_incomplete,
})

/** Never below the default. */
const lifespanOf = (asked = DEFAULT_LIFESPAN) => Math.min(Math.max(asked, DEFAULT_LIFESPAN), MAX_LIFESPAN)
