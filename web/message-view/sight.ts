/** The time for which a message must be in view before it counts as read, in milliseconds. */
export const SEEN_AFTER = 300

/** The part of a timeline that is in view. */
export type View = {
  /** The id of the first visible message. */
  readonly first: number
  /** The id of the last message that is visible to its end, or of the first one if there is none. */
  readonly last: number
  /** The ids of the unread messages that are visible to their end. */
  readonly unread: readonly number[]
}

/** The messages that the user has in view, and had in view before without a jump. */
export type Sight = {
  readonly first: number
  readonly last: number
  /** The id of the first message that was in view since the last jump. */
  readonly from: number
  /** The times since when unread messages are in view, in milliseconds. */
  readonly since: ReadonlyMap<number, number>
}

/**
 * Adds a view to the earlier ones of a timeline with the messages `ids`. If there are messages between this view and
 * the one before, the timeline has jumped over them: they were not seen.
 */
export function withView(before: Sight | null, view: View, ids: readonly number[], now: number): Sight {
  const isSkipped = (id: number) =>
    before !== null && ((before.last < id && id < view.first) || (view.last < id && id < before.first))
  const from = before === null || ids.some(isSkipped) ? view.first : Math.min(before.from, view.first)
  const since = new Map(view.unread.map((id) => [id, before?.since.get(id) ?? now]))
  return { first: view.first, last: view.last, from, since }
}

/** Returns the sight after the window has lost the focus. The time of messages in view begins again. */
export const withoutFocus = (sight: Sight): Sight => ({ ...sight, since: new Map() })

/** Returns the messages that count as read: those that the user has scrolled past, and those in view for long enough. */
export function readIn({ from, first, since }: Sight, unread: readonly number[], now: number): number[] {
  const hasSeen = (id: number) => (since.get(id) ?? Number.POSITIVE_INFINITY) <= now - SEEN_AFTER
  return unread.filter((id) => (from <= id && id < first) || hasSeen(id))
}
