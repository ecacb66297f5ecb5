/** The number of days that stands for no limit. */
export const UNLIMITED = -1

const DAY = 86_400

/** Seconds until a change of the retention period takes effect. Until then, a mistake can be corrected. */
export const RETENTION_GRACE_PERIOD = DAY

/** The retention period of messages in days, or `UNLIMITED`, and the time from which it applies. */
export type Retention = { days: number; from: number }

/** Returns the time before which messages are deleted, or null if none are. */
export function retentionCutoff({ days, from }: Retention, now: number): number | null {
  return days === UNLIMITED || now < from ? null : now - days * DAY
}
