import type { z } from 'zod'
import type { MembershipScope } from '../../groups/membership.ts'
import type { Actor } from '../../people/users/user.ts'
import type { Db } from '../../platform/storage/storage.ts'
import type { RealmBoard } from '../../presence/realm-board.ts'
import type { QueueForm } from '../queues/queue.ts'

/** What clients choose of the state with which they begin, beside what they choose for its events as well. */
export type StateOptions = {
  includesSubscribers: boolean
  /** How far back presences are told, in days; null for the default. */
  presenceHistoryDays: number | bigint | null
}

/** Whose state is asked for, and all that it depends on. */
export type StateScope = {
  /** Reads the state as of one event. */
  db: Db
  actor: Actor
  now: number
  membership: MembershipScope
  board: RealmBoard
  form: QueueForm & StateOptions
  /** Whether the state of what such events tell of was asked for. */
  wants(eventType: string): boolean
  /** Whether it was asked for by its name, and not only as everything was. */
  names(eventType: string): boolean
}

type Fields = Readonly<Record<string, z.ZodType>>

type State<Returns extends Fields> = { [Name in keyof Returns]?: z.input<Returns[Name]> }

/** A part of the initial state: the fields of one feature, which events then keep up to date. */
export type StateSlice<Types extends readonly string[] = readonly string[], Returns extends Fields = Fields> = {
  /** The client must ask for all of these event types. */
  readonly types: Types
  readonly returns: Returns
  readonly fetch: (scope: StateScope) => Promise<Record<string, unknown>> | Record<string, unknown>
}

/** Declares a slice; the compiler compares the fetched fields with the declared ones. */
export function stateSlice<const Types extends readonly string[], Returns extends Fields>(declaration: {
  types: Types
  returns: Returns
  fetch(scope: StateScope): Promise<State<Returns>> | State<Returns>
}): StateSlice<Types, Returns> {
  return declaration
}

/** What several slices of one state need: read once for all of them. */
export function oncePerState<Value>(read: (scope: StateScope) => Promise<Value>): typeof read {
  const known = new WeakMap<StateScope, Promise<Value>>()
  return (scope) => {
    let value = known.get(scope)
    if (value === undefined) {
      value = read(scope)
      known.set(scope, value)
    }
    return value
  }
}
