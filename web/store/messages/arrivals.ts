import type { Message } from './message.ts'
import type { Narrow } from './narrow.ts'
import { type Timeline, withArrived } from './timeline.ts'

type Arrival = { readonly message: Message; readonly belongsTo: (narrow: Narrow) => boolean }

/** The maximum number of messages to remember. Fewer arrive during one request. */
const MAX_COUNT = 200

let arrivals: readonly Arrival[] = []

/** Remembers a new message. `belongsTo` accepts the narrows that contain it. */
export function addArrival(message: Message, belongsTo: (narrow: Narrow) => boolean): void {
  arrivals = [...arrivals, { message, belongsTo }].slice(-MAX_COUNT)
}

/** Forgets messages that were moved or deleted since they arrived. */
export function removeArrivals(ids: readonly number[]): void {
  arrivals = arrivals.filter(({ message }) => !ids.includes(message.id))
}

/** Adds the messages that have arrived since the server read those of its response. */
export function withLatest(answered: Timeline, narrow: Narrow): Timeline {
  const newestId = answered.messages.at(-1)?.id ?? 0
  return arrivals
    .filter(({ message, belongsTo }) => message.id > newestId && belongsTo(narrow))
    .reduce((timeline, { message }) => withArrived(timeline, message), answered)
}
