import { z } from 'zod'
import { narrowOperators, narrowTraits } from './narrow.ts'
import { type LoggedEvent, type QueueForm, toEventId } from './queue.ts'

/** Returns the value of a JSON column; undefined if the text is not JSON. */
function readStoredJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

type EventRow = { id: number; type: string; payload: string; audience: string }

/**
 * Returns the event of a row of the log. If the row cannot be read, the event has no audience, and `fault` holds the
 * reason.
 */
export function readEvent({ id: logId, type, payload, audience }: EventRow): LoggedEvent {
  const id = toEventId(logId)
  const [fields, userIds] = [readStoredJson(payload), readStoredJson(audience)]
  if (!isPayload(fields, type)) return { ...unreadable(id, type), fault: 'The payload is not an event of its type' }
  if (!Array.isArray(userIds)) return { ...unreadable(id, type), fault: 'The audience is not a list' }
  return { id, type, payload: fields, audience: new Set(userIds), size: payload.length }
}

const unreadable = (id: number, type: string) => ({ id, type, payload: {}, audience: new Set<number>(), size: 0 })

function isPayload(value: unknown, type: string): value is LoggedEvent['payload'] {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === type
}

/** A capability. Rows that were written before it existed lack the field. */
const flag = z.boolean().default(false)

const term = z
  .tuple([z.enum(narrowOperators), z.string()])
  .refine(([operator, operand]) => operator !== 'is' || (narrowTraits as readonly string[]).includes(operand))

/** Rejects rows with further fields. A later version wrote them, with capabilities that this version does not know. */
const storedForm: z.ZodType<QueueForm> = z.strictObject({
  eventTypes: z.array(z.string()).nullable(),
  narrow: z.array(term),
  allPublicChannels: flag,
  appliesMarkdown: flag,
  computesGravatar: flag,
  hasSlimPresence: flag,
  allowsEmptyTopic: flag,
  takesBulkDeletions: flag,
  takesUserSettings: flag,
  takesStreamTyping: flag,
  includesDeactivatedGroups: flag,
  takesArchivedChannels: flag,
  takesUnsetNotifications: flag,
  takesLinkifierTemplates: flag,
  takesExtensions: flag,
  omitsUnknownUsers: flag,
  extraEmojiType: z.enum(['service_extra_emoji', 'zulip_extra_emoji']),
})

/**
 * The maximum number of forms in the cache. The cache is cleared when it is full, because clients can send any number
 * of narrows.
 */
const MAX_FORMS = 1000

const forms = new Map<string, QueueForm>()

/**
 * Returns the form that the JSON contains, or null if it is not a form. Queues with the same JSON share one object, so
 * that each event is serialized once for all of them.
 */
export function readForm(json: string): QueueForm | null {
  const known = forms.get(json)
  if (known !== undefined) return known
  const { data: form } = storedForm.safeParse(readStoredJson(json))
  if (form === undefined) return null
  if (forms.size >= MAX_FORMS) forms.clear()
  forms.set(json, form)
  return form
}
