/** Days that stand for no end. */
export const UNLIMITED = -1

const DAY = 86_400

/** Seconds from a change of the time to its effect: whoever erred has a day to take it back. */
export const RETENTION_GRACE_PERIOD = DAY

/** How long messages are kept, in days or `UNLIMITED`, and from when on those that are older go. */
export type Retention = { days: number; from: number }

/** Messages sent before this moment are to go by now; null where none are. */
export function retentionCutoff({ days, from }: Retention, now: number): number | null {
  return days === UNLIMITED || now < from ? null : now - days * DAY
}
