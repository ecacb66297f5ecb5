import { t } from '../../text/t.ts'

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

const DAY = 86_400

/**
 * Returns a relative time such as "in 3 days"; `at` and `now` are UNIX seconds. Days begin at midnight in the browser's
 * time zone.
 */
export function relativeTime(at: number, now: number): string {
  const distance = at - now
  if (Math.abs(distance) >= DAY) return relative.format(Math.round((midnight(at) - midnight(now)) / DAY), 'day')
  for (const [unit, seconds] of [['hour', 3600] as const, ['minute', 60] as const])
    if (Math.abs(distance) >= seconds) return relative.format(Math.round(distance / seconds), unit)
  return distance > 0 ? t('in less than a minute') : t('just now')
}

const midnight = (at: number): number => new Date(at * 1000).setHours(0, 0, 0, 0) / 1000
