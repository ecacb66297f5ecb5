import type { ReceivedEvent } from '../harness.ts'

/** What a client registered with: the parameters of `POST /register`. */
export type Form = {
  client_capabilities?: Record<string, boolean>
  include_subscribers?: boolean
  [parameter: string]: unknown
}

/** The state as `POST /register` answers it, and as a client keeps it. */
// biome-ignore lint/suspicious/noExplicitAny: the state has a hundred fields, of which each part knows its own
export type State = Record<string, any>

/** Of an event, whichever it is. */
// biome-ignore lint/suspicious/noExplicitAny: each part knows the fields of its own events
export type Event = ReceivedEvent & { id: number } & Record<string, any>

/**
 * What a client does about some of the events. What no part mentions is compared as it stands, and an event that no part
 * takes fails the test.
 */
export type Reducer = {
  /** The types of the events that it takes. */
  readonly eventTypes: readonly string[]
  /** Makes of the state that was answered what the part keeps. */
  init?(state: State): void
  /** Makes of the state what it is after the event. */
  apply?(state: State, event: Event, form: Form): void
  /** Brings a state, kept or fresh, into a form in which equal ones are equal: order, old and new names, defaults. */
  normalize?(state: State, form: Form): void
  /** Makes fields that follow from others, of what is kept alone, once it has settled. */
  derive?(state: State, form: Form): void
  /** Takes out of both what events are not there to tell; whoever adds to it says why. */
  ignoreKnownDifferences?(kept: State, fresh: State, form: Form): void
}

export const can = (form: Form, capability: string): boolean => form.client_capabilities?.[capability] === true

export const byId = <Thing extends Record<string, unknown>>(things: readonly Thing[], field: string): Thing[] =>
  things.toSorted((one, other) => Number(one[field]) - Number(other[field]))

export const ascending = (one: number, other: number): number => one - other
