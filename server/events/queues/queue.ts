/** What a client wants to hear, and in which form. */
export type QueueForm = {
  /** Null: everything. */
  eventTypes: readonly string[] | null
  /** Pairs of operator and operand that messages must fit. */
  narrow: readonly (readonly [operator: string, operand: string])[]
  /** Whether messages of all public channels come, subscribed or not. */
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
  /** Whether channels may leave notifications to the user's own settings; else these are told in their place. */
  takesUnsetNotifications: boolean
  takesLinkifierTemplates: boolean
  /** Whether people whom the user may not know of are left out; else they are there without a name. */
  omitsUnknownUsers: boolean
  /** The name that the client's own extra emoji have for it. */
  extraEmojiType: 'service_extra_emoji' | 'zulip_extra_emoji'
}

/** Where a client is in its organization's events. */
export type EventQueue = {
  readonly id: string
  readonly realmId: number
  readonly userId: number
  readonly registeredAt: number
  /** The last event before it began. */
  readonly startId: number
  /** How long it may go without a poll, in seconds. */
  readonly lifespan: number
  /** As `readForm` (`read-form.ts`) gives it. */
  readonly form: QueueForm
  /** Its client has all events up to here. */
  acknowledgedId: number
  polledAt: number
}

/** Seconds that a queue may idle when its client asks for nothing else, and at most. */
export const DEFAULT_LIFESPAN = 600
export const MAX_LIFESPAN = 7 * 86_400

/** Characters of JSON that a queue's event types, or its narrow, may take. */
export const MAX_REGISTRATION_LENGTH = 10_000

/** Seconds after which a poll that found nothing is answered with a heartbeat. */
export const HEARTBEAT_INTERVAL = 50

/** The fields of an event but for its id. */
export type Payload = Readonly<Record<string, unknown>>

/** An event as it lies in the log. */
export type LoggedEvent = {
  readonly id: number
  readonly type: string
  readonly payload: Payload
  readonly audience: ReadonlySet<number>
  /** How many characters its payload has as JSON. */
  readonly size: number
  /** Why it cannot be read, where it cannot: then it is for nobody. */
  readonly fault?: string
}

/** What `register` answers before anything has happened in the organization, and a poll from the queue's start. */
export const BEFORE_FIRST_EVENT = -1

/** The event after which a queue continues, as clients name it. */
export function toEventId(logId: number): number {
  return logId === 0 ? BEFORE_FIRST_EVENT : logId
}
