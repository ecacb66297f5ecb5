import type { z } from 'zod'

export type EventFields = Readonly<Record<string, z.ZodType>>

/** The values of the fields. Without fields the type is `unknown`, which adds nothing to an intersection. */
type Values<Fields extends EventFields> = [keyof Fields] extends [never]
  ? unknown
  : z.output<z.ZodObject<Fields, z.core.$strict>>

/** The declaration of one kind of event. Functions create its schemas, so that loading the catalogue creates none. */
export type EventDeclaration<Sent extends EventFields = EventFields, Logged extends EventFields = EventFields> = {
  /** The change that the event reports, for the API reference. */
  readonly description: string
  /** The users who receive the event, for the API reference. */
  readonly audience: string
  /** The differences of the event between clients, for the API reference. */
  readonly clients?: string
  /** The fields that clients receive, besides `id`, `type` and `op`. */
  readonly fields: () => Sent
  /**
   * The fields that only the event log has, or that it stores in a different form. `shapes/` converts them to `fields`.
   */
  readonly logged?: () => Logged
  readonly example: Values<Sent>
}

export function event<Sent extends EventFields, Logged extends EventFields = Readonly<Record<never, never>>>(
  declaration: EventDeclaration<Sent, Logged>,
): EventDeclaration<Sent, Logged> {
  return declaration
}

/** The type and the `op` of a kind of event such as `stream/create` or `message`. */
type NameOf<Kind> = Kind extends `${infer Type}/${infer Op}` ? { type: Type; op: Op } : { type: Kind }

type Merged<Parts> = { [Name in keyof Parts]: Parts[Name] }

export type ReadonlyDeep<Value> = unknown extends Value
  ? Value
  : { readonly [Name in keyof Value]: ReadonlyDeep<Value[Name]> }

/** An event of this kind as clients receive it, without its id. */
export type SentFields<Kind, Declaration> =
  Declaration extends EventDeclaration<infer Sent, infer _> ? Merged<NameOf<Kind> & Values<Sent>> : never

/** An event of this kind as an operation emits it. */
export type LoggedFields<Kind, Declaration> =
  Declaration extends EventDeclaration<infer Sent, infer Logged>
    ? ReadonlyDeep<Merged<NameOf<Kind> & Omit<Values<Sent>, keyof Logged> & Values<Logged>>>
    : never
