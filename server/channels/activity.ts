/** What clients are told of a channel's use. */
export type ChannelActivity = {
  /** Of the oldest message in it; null while there is none. */
  firstMessageId: number | null
  isRecentlyActive: boolean
  /** Messages in a week, on average; null while it is too young to tell. */
  weeklyTraffic: number | null
}

export const SECONDS_PER_DAY = 86_400

/** How long a channel counts as active after its last message, or after it was made. */
export const RECENT_DAYS = 180

/** What an average of messages is taken over. */
export const TRAFFIC_DAYS = 28

const DAYS_IN_WEEK = 7

/** Of a channel that was just made. */
export const newChannelActivity: ChannelActivity = { firstMessageId: null, isRecentlyActive: true, weeklyTraffic: null }

/** Whether a channel is old enough for an average. */
export function hasAverageWeek(ageInSeconds: number): boolean {
  return ageInSeconds >= DAYS_IN_WEEK * SECONDS_PER_DAY
}

/** The average week of a channel in which `count` messages were sent in TRAFFIC_DAYS, to two significant digits. */
export function weeklyTraffic(count: number, ageInSeconds: number): number | null {
  if (!hasAverageWeek(ageInSeconds)) return null
  const days = Math.min(TRAFFIC_DAYS, Math.floor(ageInSeconds / SECONDS_PER_DAY))
  return Number(Math.floor((count * DAYS_IN_WEEK) / days).toPrecision(2))
}
