/** The events that a client registered for, and the form in which it receives them. */
export type QueueForm = {
  /** Null if the client receives all types. */
  eventTypes: readonly string[] | null
  /** Pairs of operator and operand that messages must match. */
  narrow: readonly (readonly [operator: string, operand: string])[]
  /** True if the client also receives messages of public channels that the user is not subscribed to. */
  allPublicChannels: boolean
  appliesMarkdown: boolean
  computesGravatar: boolean
  hasSlimPresence: boolean
  allowsEmptyTopic: boolean
  takesBulkDeletions: boolean
  takesUserSettings: boolean
  takesStreamTyping: boolean
  includesDeactivatedGroups: boolean
  takesArchivedChannels: boolean
  /**
   * True if the client accepts null for notification settings of a channel. Other clients receive the user's own
   * settings instead of null.
   */
  takesUnsetNotifications: boolean
  takesLinkifierTemplates: boolean
  /** True if the client accepts fields that only this server has. */
  takesExtensions: boolean
  /** True if users whom the client's user cannot see are left out. Other clients receive these users without a name. */
  omitsUnknownUsers: boolean
  /** The type name that the client uses for the server's own emoji. */
  extraEmojiType: 'service_extra_emoji' | 'zulip_extra_emoji'
}

/** A client's registration for the events of its organization, and its progress in receiving them. */
export type EventQueue = {
  readonly id: string
  readonly realmId: number
  readonly userId: number
  readonly registeredAt: number
  /** The log id of the last event before the queue was registered. */
  readonly startId: number
  /** Seconds without a poll after which the queue expires. */
  readonly lifespan: number
  /** The object that `readForm` (`stored-rows.ts`) returned. */
  readonly form: QueueForm
  /** The log id of the last event that the client has acknowledged. */
  acknowledgedId: number
  polledAt: number
}

/** The maximum number of characters in the JSON of a queue's event types, and in the JSON of its narrow. */
export const MAX_REGISTRATION_LENGTH = 10_000

/** The fields of an event without its id. */
export type Payload = Readonly<Record<string, unknown>>

/** The ids of the users who receive an event. */
export type Audience = Pick<ReadonlySet<number>, 'size' | 'has'> & Iterable<number>

/** An event of the log. Its id is the one that clients receive. */
export type LoggedEvent = {
  readonly id: number
  readonly type: string
  readonly payload: Payload
  readonly audience: Audience
  /** The number of characters of the payload as JSON. */
  readonly size: number
  /** The reason why the row of the event cannot be read. Such events have no audience. */
  readonly fault?: string
}

/**
 * An event that is not in the log, because it reports nothing durable. Its id is one of those between two events of the
 * log.
 */
export type EphemeralEvent = LoggedEvent & { readonly publishedAt: number }

// Clients receive ids with room for ephemeral events: the event of the log with the id `n` has the event id
// `FIRST_EVENT_ID + n * EVENT_IDS_PER_LOG_ID`, and the ids up to the next one belong to ephemeral events after it. So a
// client that acknowledges an ephemeral event acknowledges the event of the log before it, on every node.

/** The number of event ids for each id of the log. */
const EVENT_IDS_PER_LOG_ID = 1000

/**
 * The event id of the beginning of a log. Smaller ids come from clients that received them from an earlier version,
 * which sent the ids of the log. No log reaches it in the next centuries, nor do event ids reach 2^53.
 */
const FIRST_EVENT_ID = 10_000_000_000_000

/**
 * The `last_event_id` that `POST /register` returns for an empty log. Clients also send it to start at the beginning of
 * their queue.
 */
const BEFORE_FIRST_EVENT = -1

/** Returns the event id of an event of the log. */
export const toEventId = (logId: number): number => FIRST_EVENT_ID + logId * EVENT_IDS_PER_LOG_ID

/** Returns the log id of an event; for an ephemeral event, that of the event of the log before it. */
export const toLogId = (eventId: number): number => Math.floor((eventId - FIRST_EVENT_ID) / EVENT_IDS_PER_LOG_ID)

/** Returns the event id that a client means by `last_event_id`. */
export function readLastEventId(given: number, { startId }: EventQueue): number {
  if (given === BEFORE_FIRST_EVENT) return toEventId(startId)
  return given < FIRST_EVENT_ID ? toEventId(given) : given
}

/** Returns the event id as clients receive it. */
export const toEventIdJson = (eventId: number): number => (eventId === FIRST_EVENT_ID ? BEFORE_FIRST_EVENT : eventId)

/** Returns the next id for an ephemeral event after this event; null if none is left until the next event of the log. */
export const nextEphemeralId = (eventId: number): number | null =>
  toLogId(eventId + 1) === toLogId(eventId) ? eventId + 1 : null
