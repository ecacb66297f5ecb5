import { t } from '../../text/t.ts'

/** An end time to choose; `at` is in UNIX seconds. */
export type EndOption = { readonly id: EndId; readonly label: string; readonly at: number }

export type EndId = 'half-hour' | 'hour' | 'four-hours' | 'tomorrow' | 'week'

/** Returns common end times, soonest first, in the user's time zone. "Tomorrow" and "Monday" mean 9:00 on that day. */
export function endOptions(now: number): EndOption[] {
  const today = new Date(now * 1000)
  const morning = (days: number) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() + days, 9).getTime() / 1000
  const daysToMonday = (8 - today.getDay()) % 7 || 7
  const start = Math.floor(now)
  return [
    { id: 'half-hour', label: t('For 30 minutes'), at: start + 1800 },
    { id: 'hour', label: t('For 1 hour'), at: start + 3600 },
    { id: 'four-hours', label: t('For 4 hours'), at: start + 4 * 3600 },
    { id: 'tomorrow', label: t('Until tomorrow'), at: morning(1) },
    ...(daysToMonday > 1 ? [{ id: 'week' as const, label: t('Until Monday'), at: morning(daysToMonday) }] : []),
  ]
}
