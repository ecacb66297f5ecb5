import type { EventType } from '#events/catalogue.ts'
import type { ReceivedEvent } from '../harness.ts'

/** The parameters of `POST /register` that a client registered with. */
export type Form = {
  client_capabilities?: Record<string, boolean>
  include_subscribers?: boolean
  [parameter: string]: unknown
}

/** The state that `POST /register` returned, as a client keeps it up to date. */
// biome-ignore lint/suspicious/noExplicitAny: the state has a hundred fields; each reducer knows its own
export type State = Record<string, any>

// biome-ignore lint/suspicious/noExplicitAny: each reducer knows the fields of its own events
export type Event = ReceivedEvent & { id: number } & Record<string, any>

/**
 * The way in which a client applies some of the events. Fields of the state that no reducer handles are compared as
 * they are. An event that no reducer handles fails the test.
 */
export type Reducer = {
  readonly eventTypes: readonly EventType[]
  /** Changes a fresh state into what the reducer keeps. */
  init?(state: State): void
  /** Updates the state after an event. */
  apply?(state: State, event: Event, form: Form): void
  /** Brings a kept or a fresh state into a form in which equal states are equal: order, legacy names, defaults. */
  normalize?(state: State, form: Form): void
  /** Computes fields of the kept state that follow from others, after `normalize`. */
  derive?(state: State, form: Form): void
  /** Removes differences that events are not meant to prevent. Each comes with a comment that gives the reason. */
  ignoreKnownDifferences?(kept: State, fresh: State, form: Form): void
}

export const can = (form: Form, capability: string): boolean => form.client_capabilities?.[capability] === true

export const byId = <Thing extends Record<string, unknown>>(things: readonly Thing[], field: string): Thing[] =>
  things.toSorted((one, other) => Number(one[field]) - Number(other[field]))

export const ascending = (one: number, other: number): number => one - other
