import type { z } from 'zod'
import type { MembershipScope } from '#groups/membership.ts'
import type { Actor } from '#people/users/user.ts'
import type { RealmBoard } from '#presence/realm-board.ts'
import type { Db } from '#storage/storage.ts'
import type { QueueForm } from '../queues/queue.ts'

/** The options that affect only the initial state, not the queue. */
export type StateOptions = {
  includesSubscribers: boolean
  /** The number of days for which presences are included; null for the default. */
  presenceHistoryDays: number | bigint | null
}

/** The user who fetches the state, and everything else that the state depends on. */
export type StateScope = {
  /** Reads from a snapshot, so that all slices show the state as of the same event. */
  db: Db
  actor: Actor
  now: number
  /** The time at which this server process was started. */
  startedAt: number
  membership: MembershipScope
  board: RealmBoard
  form: QueueForm & StateOptions
  /** Returns true if the client asked for the state of this event type. */
  wants(eventType: string): boolean
  /** Returns true if the client named this event type explicitly instead of asking for all types. */
  names(eventType: string): boolean
}

type Fields = Readonly<Record<string, z.ZodType>>

type State<Returns extends Fields> = { [Name in keyof Returns]?: z.input<Returns[Name]> }

/** A part of the initial state: the fields of one feature, which events then keep up to date. */
export type StateSlice<Types extends readonly string[] = readonly string[], Returns extends Fields = Fields> = {
  /** The client must request all of these event types. */
  readonly types: Types
  readonly returns: Returns
  readonly fetch: (scope: StateScope) => Promise<Record<string, unknown>> | Record<string, unknown>
}

/** Declares a slice. The compiler checks that `fetch` returns the declared fields. */
export function stateSlice<const Types extends readonly string[], Returns extends Fields>(declaration: {
  types: Types
  returns: Returns
  fetch(scope: StateScope): Promise<State<Returns>> | State<Returns>
}): StateSlice<Types, Returns> {
  return declaration
}

/** Returns a function that reads the value only once per state, even if several slices need it. */
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
