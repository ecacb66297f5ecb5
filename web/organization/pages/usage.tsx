import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type AnswerOf, call } from '../../api/call.ts'
import * as settingsCss from '../../forms/settings.module.css'
import { formatSize } from '../../settings/size-text.ts'
import { toAppError } from '../../store/app-error.ts'
import { t } from '../../text/t.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import * as css from './usage.module.css'

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

/** Returns a day of the API, such as `2026-11-27`, in the format of the browser. */
const formatDay = (date: string): string => format.format(new Date(date))

type Bar = { date: string; value: number }

const HEIGHT = 100
const GAP = 0.25

/** One bar for each day; nothing if all are zero. Screen readers get a summary; the page has the numbers as a table. */
function BarChart(props: { label: string; bars: readonly Bar[]; format: (value: number) => string }): ReactNode {
  const { label, bars, format } = props
  const most = Math.max(...bars.map(({ value }) => value), 0)
  const [oldest, newest] = [bars[0], bars.at(-1)]
  if (oldest === undefined || newest === undefined || most === 0) return null
  const [first, last] = [formatDay(oldest.date), formatDay(newest.date)]
  const summary = t('{label} from {first} to {last}. Maximum: {most}.', { label, first, last, most: format(most) })
  return (
    <figure className={css.barChart}>
      <p className={`soft small ${css.barChartMost}`} aria-hidden="true">
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

type Usage = AnswerOf<'GET /realm/usage'>

const PERIODS = [
  { id: 7, label: t('7 days') },
  { id: 30, label: t('30 days') },
  { id: 90, label: t('90 days') },
  { id: 365, label: t('1 year') },
]

/** The numbers of people who use the organization, and of its messages and files over time. */
export function UsagePage(): ReactNode {
  const [days, setDays] = useState(30)
  const { data, error, refetch } = useQuery({
    queryKey: ['usage', days],
    queryFn: ({ signal }) => call('GET /realm/usage', { days }, { signal }),
    staleTime: 60_000,
    placeholderData: (previous) => previous,
  })
  if (error !== null) return <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label={t('Loading usage')} lines={6} />
  return (
    <div className="stack">
      <People people={data.people} />
      <div className={css.usagePeriod}>
        <SelectField label={t('Period')} value={days} options={PERIODS} onChange={setDays} />
      </div>
      <Messages days={data.days} />
      <Storage days={data.days} quota={data.upload_quota_bytes} />
      <DayTable days={data.days} />
    </div>
  )
}

function People({ people }: { people: Usage['people'] }): ReactNode {
  const facts = [
    { label: t('User accounts'), count: people.total },
    { label: t('Active in the last day'), count: people.active_1_day },
    { label: t('Active in the last 7 days'), count: people.active_7_days },
    { label: t('Active in the last 30 days'), count: people.active_30_days },
  ]
  return (
    <section className={settingsCss.settingsGroup} aria-labelledby="usage-people">
      <h2 id="usage-people">{t('People')}</h2>
      <dl className={css.usageFacts}>
        {facts.map(({ label, count }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{t('{count, number}', { count })}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function Messages({ days }: { days: Usage['days'] }): ReactNode {
  const total = days.reduce((sum, { messages }) => sum + messages, 0)
  return (
    <section className={settingsCss.settingsGroup} aria-labelledby="usage-messages">
      <h2 id="usage-messages">{t('Messages')}</h2>
      <p className="soft">{t('{total, plural, one {# message} other {# messages}} in this period.', { total })}</p>
      <BarChart
        label={t('Messages per day')}
        bars={days.map(({ date, messages }) => ({ date, value: messages }))}
        format={(value) => t('{value, plural, one {# message} other {# messages}}', { value })}
      />
    </section>
  )
}

function Storage({ days, quota }: { days: Usage['days']; quota: number | null }): ReactNode {
  const used = days.at(-1)?.stored_bytes ?? 0
  return (
    <section className={settingsCss.settingsGroup} aria-labelledby="usage-storage">
      <h2 id="usage-storage">{t('Storage')}</h2>
      <p className="soft">
        {quota === null
          ? t('Uploaded files use {used}.', { used: formatSize(used) })
          : t('Uploaded files use {used} of {quota}.', { used: formatSize(used), quota: formatSize(quota) })}
      </p>
      <BarChart
        label={t('Storage used at the end of each day')}
        bars={days.map(({ date, stored_bytes }) => ({ date, value: stored_bytes }))}
        format={formatSize}
      />
    </section>
  )
}

/** The same numbers as a table, with the newest day first. */
function DayTable({ days }: { days: Usage['days'] }): ReactNode {
  return (
    <details className={css.usageDays}>
      <summary>{t('Show as a table')}</summary>
      <table>
        <caption className="visually-hidden">{t('Usage per day')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('Day (UTC)')}</th>
            <th scope="col">{t('Messages')}</th>
            <th scope="col">{t('Storage')}</th>
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ date, messages, stored_bytes }) => (
            <tr key={date}>
              <th scope="row">{formatDay(date)}</th>
              <td>{t('{count, number}', { count: messages })}</td>
              <td>{formatSize(stored_bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
