import { z } from 'zod'
import { channelEvents } from './catalogue/channels.ts'
import {
  type EventDeclaration,
  event,
  type LoggedFields,
  type ReadonlyDeep,
  type SentFields,
} from './catalogue/event.ts'
import { messageEvents } from './catalogue/messages.ts'
import { organizationEvents } from './catalogue/organization.ts'
import { groupEvents, peopleEvents } from './catalogue/people.ts'
import { personalEvents } from './catalogue/personal.ts'

// All events that clients receive, each declared once with its schema. The types that tx.emit accepts, the check of
// the event log, and the API reference derive from this list, so an event that is not here cannot be sent.

/** All events by kind. A kind is a type, or a type and an `op`, such as `stream/create`. */
const catalogue = {
  heartbeat: event({
    description:
      'Nothing has happened for about 50 seconds. The server responds, so that no connection is idle for longer.',
    audience: 'The queue of the request.',
    fields: () => ({}),
    example: {},
  }),
  ...messageEvents,
  ...channelEvents,
  ...peopleEvents,
  ...groupEvents,
  ...organizationEvents,
  ...personalEvents,
} as const

type Catalogue = typeof catalogue

type EventKind = keyof Catalogue

/** The kinds of events that operations emit. The server creates the other kinds for individual queues. */
type EmittedKind = Exclude<EventKind, 'heartbeat' | 'user_group/remove'>

type EmittedByKind = { [Kind in EmittedKind]: LoggedFields<Kind, Catalogue[Kind]> }

type SentByKind = { [Kind in EventKind]: SentFields<Kind, Catalogue[Kind]> }

/** An event as clients receive it, without its id. */
type SentEvent = SentByKind[EventKind]

/** An event as clients receive it. */
type ClientEvent = SentEvent extends infer Each ? (Each extends SentEvent ? Each & { id: number } : never) : never

export type EventType = SentEvent['type']

/** The events of a type as clients receive them, without their ids. */
export type SentOfType<Type> = ReadonlyDeep<Extract<SentEvent, { type: Type }>>

declare module '#storage/storage.ts' {
  /** Makes `tx.emit` accept the events of the catalogue and no others. */
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can extend another declaration
  interface EventRegistry {
    catalogue: EmittedByKind[EmittedKind]
  }
}

type Declared = { kind: EventKind; type: string; op: string | undefined; declaration: EventDeclaration }

/** Every event, in the order of the catalogue. */
export const allEvents: readonly Declared[] = Object.entries(catalogue).map(([kind, declaration]) => {
  const [type = '', op] = kind.split('/')
  return { kind: kind as EventKind, type, op, declaration }
})

const nameFields = ({ type, op }: Declared) => ({
  type: z.literal(type),
  ...(op !== undefined && { op: z.literal(op) }),
})

const sentSchema = (declared: Declared) =>
  z.strictObject({ id: z.int(), ...nameFields(declared), ...declared.declaration.fields() })

const loggedSchema = (declared: Declared) =>
  z.strictObject({ ...nameFields(declared), ...declared.declaration.fields(), ...declared.declaration.logged?.() })

/**
 * Returns a schema that parses any event. `toSchema` makes the schema of each kind, and the `type` and `op` of an event
 * select it.
 */
function schemaOfAll(toSchema: (declared: Declared) => z.ZodObject): z.ZodType {
  const byType = Array.from(Map.groupBy(allEvents, ({ type }) => type).values(), (events) => {
    const [first, ...others] = events.map(toSchema) as [z.ZodObject, ...z.ZodObject[]]
    return others.length === 0 ? first : z.discriminatedUnion('op', [first, ...others])
  })
  return z.discriminatedUnion('type', byType as [z.ZodObject, ...z.ZodObject[]])
}

/** The events that `GET /events` returns. The schema is built when it is first used. */
export const clientEvent = z.lazy(() => schemaOfAll(sentSchema) as z.ZodType<ClientEvent, ClientEvent>)

/** The events that the event log holds. The schema is built when it is first used. */
export const loggedEvent = z.lazy(() => schemaOfAll(loggedSchema))
