import { z } from 'zod'
import type { MembershipScope } from '#groups/viewer.ts'
import { alwaysNull } from '#lib/protocol.ts'
import type { SharedValue } from '#lib/shared-json.ts'
import type { Actor } from '#people/users.ts'
import type { RealmBoard } from '#presence/board.ts'
import type { Db } from '#storage/storage.ts'
import type { QueueForm } from '../queues/event-queue.ts'

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

type State<Returns extends Fields> = { [Name in keyof Returns]?: z.input<Returns[Name]> | SharedValue }

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

const nothing = z.array(z.never())

/** State of features that this server does not have. Clients expect the fields. */
export const emptySlices = [
  stateSlice({
    types: ['onboarding_steps'],
    returns: { onboarding_steps: nothing, navigation_tour_video_url: alwaysNull('string') },
    fetch: () => ({ onboarding_steps: [], navigation_tour_video_url: null }),
  }),
  stateSlice({
    types: ['realm_filters'],
    returns: { realm_filters: nothing.describe('The older form of linkifiers; always empty.') },
    fetch: () => ({ realm_filters: [] }),
  }),
  stateSlice({
    types: ['default_stream_groups'],
    returns: { realm_default_stream_groups: nothing },
    fetch: () => ({ realm_default_stream_groups: [] }),
  }),
  stateSlice({
    types: ['realm_embedded_bots'],
    returns: { realm_embedded_bots: nothing },
    fetch: () => ({ realm_embedded_bots: [] }),
  }),
  stateSlice({
    types: ['realm_incoming_webhook_bots'],
    returns: { realm_incoming_webhook_bots: nothing },
    fetch: () => ({ realm_incoming_webhook_bots: [] }),
  }),
  stateSlice({
    types: ['realm_billing'],
    returns: { realm_billing: z.strictObject({ has_pending_sponsorship_request: z.literal(false) }) },
    fetch: () => ({ realm_billing: { has_pending_sponsorship_request: false as const } }),
  }),
  stateSlice({
    types: ['stop_words'],
    returns: { stop_words: nothing },
    fetch: () => ({ stop_words: [] }),
  }),
  stateSlice({
    types: ['giphy'],
    returns: { giphy_api_key: z.literal('') },
    fetch: () => ({ giphy_api_key: '' as const }),
  }),
] as const satisfies readonly StateSlice[]
