const HALF_A_YEAR = 182 * 86_400_000

/** Returns true if both time zones show the same time now and half a year from now. Two names of one zone always do. */
export function haveSameTime(one: string, other: string, now: number): boolean {
  if (one === other) return true
  const timeIn = (timeZone: string, at: number) =>
    new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(at)
  try {
    return [now, now + HALF_A_YEAR].every((at) => timeIn(one, at) === timeIn(other, at))
  } catch {
    // The browser doesn't know one of the zones, so it can't tell whether they differ.
    return true
  }
}
