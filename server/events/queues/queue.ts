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
  /** The id of the last event before the queue was registered. */
  readonly startId: number
  /** Seconds without a poll after which the queue expires. */
  readonly lifespan: number
  /** The object that `readForm` (`read-form.ts`) returned. */
  readonly form: QueueForm
  /** The id of the last event that the client has acknowledged. */
  acknowledgedId: number
  polledAt: number
}

/** Seconds without a poll after which queues expire: the default, which is also the minimum, and the maximum. */
export const DEFAULT_LIFESPAN = 600
export const MAX_LIFESPAN = 7 * 86_400

/** The maximum number of characters in the JSON of a queue's event types, and in the JSON of its narrow. */
export const MAX_REGISTRATION_LENGTH = 10_000

/** The fields of an event without its id. */
export type Payload = Readonly<Record<string, unknown>>

export type LoggedEvent = {
  readonly id: number
  readonly type: string
  readonly payload: Payload
  readonly audience: ReadonlySet<number>
  /** The number of characters of the payload as JSON. */
  readonly size: number
  /** The reason why the row of the event cannot be read. Such events have no audience. */
  readonly fault?: string
}

/**
 * The `last_event_id` that `POST /register` returns for an empty log. Clients also send it to start at the beginning of
 * their queue.
 */
export const BEFORE_FIRST_EVENT = -1

/** Returns the id that clients use for an event of the log, or for the beginning of an empty log. */
export function toEventId(logId: number): number {
  return logId === 0 ? BEFORE_FIRST_EVENT : logId
}
