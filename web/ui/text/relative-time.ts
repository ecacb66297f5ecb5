import { t } from '../../text/t.ts'

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

const UNITS: readonly [Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** Returns a relative time such as "in 3 days"; `at` and `now` are UNIX seconds. */
export function relativeTime(at: number, now: number): string {
  const distance = at - now
  for (const [unit, seconds] of UNITS)
    if (Math.abs(distance) >= seconds) return relative.format(Math.round(distance / seconds), unit)
  return distance > 0 ? t('in less than a minute') : t('just now')
}
