/** A channel's activity, as clients receive it. */
export type ChannelActivity = {
  /** The id of the oldest message in the channel; null if it has none. */
  firstMessageId: number | null
  isRecentlyActive: boolean
  /** The average number of messages per week; null if the channel is too new. */
  weeklyTraffic: number | null
}

export const SECONDS_PER_DAY = 86_400

/** Days for which a channel counts as recently active after its last message or its creation. */
export const RECENT_DAYS = 180

/** The maximum number of days over which the weekly average is taken. */
export const TRAFFIC_DAYS = 28

const DAYS_IN_WEEK = 7

/** The activity of a channel that was just created. */
export const newChannelActivity: ChannelActivity = { firstMessageId: null, isRecentlyActive: true, weeklyTraffic: null }

/** Returns whether a channel is old enough for an average. */
export function hasAverageWeek(ageInSeconds: number): boolean {
  return ageInSeconds >= DAYS_IN_WEEK * SECONDS_PER_DAY
}

/**
 * Returns the average number of messages per week, to two significant digits; null if the channel is too new. `count`
 * is the number of messages in the last TRAFFIC_DAYS days.
 */
export function weeklyTraffic(count: number, ageInSeconds: number): number | null {
  if (!hasAverageWeek(ageInSeconds)) return null
  const days = Math.min(TRAFFIC_DAYS, Math.floor(ageInSeconds / SECONDS_PER_DAY))
  return Number(Math.floor((count * DAYS_IN_WEEK) / days).toPrecision(2))
}
