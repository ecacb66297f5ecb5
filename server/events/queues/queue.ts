/** The events that a client registered for, and the form in which it reads them. */
export type QueueForm = {
  /** Null for all types. */
  eventTypes: readonly string[] | null
  /** Pairs of operator and operand that messages must match. */
  narrow: readonly (readonly [operator: string, operand: string])[]
  /** Includes messages of public channels that the user is not subscribed to. */
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
  /** Notification settings of a channel may be null; otherwise the user's own settings are sent in their place. */
  takesUnsetNotifications: boolean
  takesLinkifierTemplates: boolean
  /** Invisible users are left out; otherwise they are sent without a name. */
  omitsUnknownUsers: boolean
  /** The type name that the client uses for the server's own emoji. */
  extraEmojiType: 'service_extra_emoji' | 'zulip_extra_emoji'
}

/** The position of a client in the events of its organization. */
export type EventQueue = {
  readonly id: string
  readonly realmId: number
  readonly userId: number
  readonly registeredAt: number
  /** The last event before the queue was registered. */
  readonly startId: number
  /** Seconds without a poll after which the queue expires. */
  readonly lifespan: number
  /** The object that `readForm` (`read-form.ts`) returned. */
  readonly form: QueueForm
  /** The last event that the client has acknowledged. */
  acknowledgedId: number
  polledAt: number
}

/** Seconds without a poll after which queues expire: the default, which is also the minimum, and the maximum. */
export const DEFAULT_LIFESPAN = 600
export const MAX_LIFESPAN = 7 * 86_400

/** The number of characters of JSON that a queue's event types, or its narrow, may have. */
export const MAX_REGISTRATION_LENGTH = 10_000

/** Seconds after which a poll that found nothing receives a heartbeat. */
export const HEARTBEAT_INTERVAL = 50

/** The fields of an event without its id. */
export type Payload = Readonly<Record<string, unknown>>

export type LoggedEvent = {
  readonly id: number
  readonly type: string
  readonly payload: Payload
  readonly audience: ReadonlySet<number>
  /** The number of characters of its payload as JSON. */
  readonly size: number
  /** The reason why the row cannot be read. Such events have no audience. */
  readonly fault?: string
}

/** The `last_event_id` of `POST /register` when the log is empty, and of a poll that starts at the beginning of the queue. */
export const BEFORE_FIRST_EVENT = -1

/** Returns the id that clients use for an event of the log, or for the beginning of an empty one. */
export function toEventId(logId: number): number {
  return logId === 0 ? BEFORE_FIRST_EVENT : logId
}
