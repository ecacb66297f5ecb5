import type { ReactNode } from 'react'
import { t } from '../../../text/t.ts'
import { formatDay } from './format-day.ts'

type Bar = { date: string; value: number }

const HEIGHT = 100
const GAP = 0.25

/** One bar for each day; nothing if all are zero. Screen readers get a summary; the page has the numbers as a table. */
export function BarChart(props: { label: string; bars: readonly Bar[]; format: (value: number) => string }): ReactNode {
  const { label, bars, format } = props
  const most = Math.max(...bars.map(({ value }) => value), 0)
  const [oldest, newest] = [bars[0], bars.at(-1)]
  if (oldest === undefined || newest === undefined || most === 0) return null
  const [first, last] = [formatDay(oldest.date), formatDay(newest.date)]
  const summary = t('{label} from {first} to {last}. Maximum: {most}.', { label, first, last, most: format(most) })
  return (
    <figure className="bar-chart">
      <p className="soft small bar-chart-most" aria-hidden="true">
        {format(most)}
      </p>
      <svg viewBox={`0 0 ${bars.length} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={summary}>
        {bars.map(({ date, value }, index) => {
          const height = (value / most) * HEIGHT
          return (
            <rect key={date} x={index + GAP / 2} y={HEIGHT - height} width={1 - GAP} height={height}>
              <title>{`${formatDay(date)}: ${format(value)}`}</title>
            </rect>
          )
        })}
      </svg>
      <figcaption className="soft small" aria-hidden="true">
        <span>{first}</span>
        <span>{last}</span>
      </figcaption>
    </figure>
  )
}
