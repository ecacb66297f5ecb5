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

/** A part of the state with which clients begin: what one feature tells at first, and then by events. */
export type StateSlice<Returns extends Fields = Fields> = {
  /** The event types that must all be asked for. */
  readonly types: readonly string[]
  readonly returns: Returns
  readonly fetch: (scope: StateScope) => Promise<Record<string, unknown>> | Record<string, unknown>
}

/** Declares a slice, its fields checked against what it says that it returns. */
export function stateSlice<Returns extends Fields>(declaration: {
  types: readonly string[]
  returns: Returns
  fetch(scope: StateScope): Promise<State<Returns>> | State<Returns>
}): StateSlice<Returns> {
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
