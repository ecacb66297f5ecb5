// When the next backup is due: an interval after the newest one, or at times of the day.

export type Schedule = {
  everyHours: number
  /** The time of the day in the time zone of the process, from which the others follow; null for no fixed time. */
  time: { hours: number; minutes: number } | null
}

/** Returns the time of the next backup: `now` if one is due. `newest` is the time of the newest one. */
export function findNextTime({ everyHours, time }: Schedule, newest: number | null, now: number): number {
  if (newest === null) return now
  const interval = everyHours * 3600
  // The newest backup lies in the future if the clock was set back.
  if (time === null) return newest > now ? now : Math.max(now, newest + interval)
  const slots = slotsAround(now, time, everyHours)
  const last = slots.findLast((slot) => slot <= now) ?? -Infinity
  if (newest < last || newest > now) return now
  return slots.find((slot) => slot > now) ?? now + interval
}

/** Returns the times of backups from yesterday to tomorrow, in UNIX seconds. */
function slotsAround(
  now: number,
  { hours, minutes }: { hours: number; minutes: number },
  everyHours: number,
): number[] {
  const today = new Date(now * 1000)
  const slots: number[] = []
  for (let day = -1; day <= 1; day++)
    for (let passed = 0; passed < 24; passed += everyHours)
      slots.push(
        new Date(today.getFullYear(), today.getMonth(), today.getDate() + day, hours + passed, minutes).getTime() /
          1000,
      )
  return slots.sort((one, other) => one - other)
}
