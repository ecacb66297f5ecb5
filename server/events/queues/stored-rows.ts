import { z } from 'zod'
import type { EventRow } from '#storage/storage.ts'
import { type Audience, type LoggedEvent, type QueueForm, toEventId } from './event-queue.ts'
import { narrowOperators, narrowTraits } from './narrow.ts'

/** Returns the value of a JSON column; undefined if the text is not JSON. */
function readStoredJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/**
 * Returns the event of a row of the log, given the shared audiences by id. If the row cannot be read, the event has no
 * audience, and `fault` holds the reason.
 */
export function readEvent(row: EventRow, audiences: ReadonlyMap<number, ReadonlySet<number>>): LoggedEvent {
  const { type, payload } = row
  const id = toEventId(row.id)
  const [fields, audience] = [readStoredJson(payload), readAudience(row, audiences)]
  if (!isPayload(fields, type)) return { ...unreadable(id, type), fault: 'The payload is not an event of its type' }
  if (audience === null) return { ...unreadable(id, type), fault: 'The audience is not a list' }
  return { id, type, payload: fields, audience, size: payload.length }
}

/** Returns the users of a JSON list of ids; null if it is not a list. */
function readUserIds(json: string): ReadonlySet<number> | null {
  const ids = readStoredJson(json)
  return Array.isArray(ids) ? new Set<number>(ids) : null
}

function readAudience(
  { audience, audienceId, absentIds }: EventRow,
  audiences: ReadonlyMap<number, ReadonlySet<number>>,
): Audience | null {
  const own = readUserIds(audience)
  if (audienceId === null || own === null) return own
  const shared = audiences.get(audienceId)
  const absent = absentIds === null ? new Set<number>() : readUserIds(absentIds)
  if (shared === undefined || absent === null) return null
  return own.size + absent.size === 0 ? shared : new VariedAudience(shared, own, absent)
}

/** A shared audience without some users, and with others. */
class VariedAudience implements Audience {
  readonly #shared: ReadonlySet<number>
  readonly #added: ReadonlySet<number>
  readonly #absent: ReadonlySet<number>

  constructor(shared: ReadonlySet<number>, added: ReadonlySet<number>, absent: ReadonlySet<number>) {
    this.#shared = shared
    this.#added = added
    this.#absent = absent
  }

  get size(): number {
    return this.#shared.size + this.#added.size - this.#absent.size
  }

  has(id: number): boolean {
    return this.#added.has(id) || (this.#shared.has(id) && !this.#absent.has(id))
  }

  *[Symbol.iterator](): Generator<number> {
    for (const id of this.#shared) if (!this.#absent.has(id)) yield id
    yield* this.#added
  }
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
