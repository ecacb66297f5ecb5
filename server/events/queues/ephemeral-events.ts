import type { EphemeralEvent } from './event-queue.ts'

/**
 * The number of seconds for which ephemeral events wait for clients that are between two polls. Later, a typing event
 * would be wrong.
 */
const LIFETIME = 15
const LIFETIME_OF_PRESENCE = 300

/** The maximum number of ephemeral events in memory per organization. */
const MAX_EVENTS = 1000

/** The latest ephemeral events of an organization, in ascending order of ids. */
export class EphemeralEvents {
  #events: readonly EphemeralEvent[] = []

  add(event: EphemeralEvent): void {
    this.#dropOld(event.publishedAt)
    this.#events = [...this.#events, event].slice(-MAX_EVENTS)
  }

  /** Returns the events after an event id and up to another one. */
  between(after: number, upTo: number, now: number): readonly EphemeralEvent[] {
    if (this.#events.length === 0) return this.#events
    this.#dropOld(now)
    return this.#events.filter(({ id }) => id > after && id <= upTo)
  }

  #dropOld(now: number): void {
    this.#events = this.#events.filter(
      ({ type, publishedAt }) => now - publishedAt < (type === 'presence' ? LIFETIME_OF_PRESENCE : LIFETIME),
    )
  }
}
