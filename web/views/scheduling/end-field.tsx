import { type ReactNode, useMemo } from 'react'
import { t } from '../../text/t.ts'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { clockTime } from '../../ui/time/time.tsx'
import { endMoment } from './end-moment.ts'
import { type EndId, endOptions } from './end-options.ts'
import { ScheduleField } from './schedule-field.tsx'
import { readLocalMinute, scheduleError, toLocalMinute } from './schedule-options.ts'

/** The choice of an end time: none, a common one, the current one, or the one in `custom`. */
export type EndChoice = { id: EndId | 'never' | 'current' | 'custom'; custom: string }

/** Returns the choice for an end time. A null `end` means that there is no end time. */
export const toEndChoice = (end: number | null): EndChoice => ({
  id: end === null ? 'never' : 'current',
  custom: toLocalMinute(end ?? Date.now() / 1000 + 3600),
})

/**
 * Returns the chosen end time in UNIX seconds (null for none), or an error if it is invalid. `current` is the end time
 * that is already set.
 */
export function readEndChoice(
  { id, custom }: EndChoice,
  current: number | null,
): { at: number | null; error?: undefined } | { error: string } {
  const now = Date.now() / 1000
  if (id === 'never') return { at: null }
  if (id === 'current') return { at: current }
  if (id !== 'custom') return { at: endOptions(now).find((option) => option.id === id)?.at ?? null }
  const at = readLocalMinute(custom)
  const error = scheduleError(at, now)
  return error === null ? { at } : { error }
}

/** A field for an end time: a common one, or any date and time. */
export function EndField(props: {
  label: string
  /** The label of the choice without an end time. */
  never: string
  /** The end time that is already set. */
  current: number | null
  value: EndChoice
  error: string | null
  onChange: (value: EndChoice) => void
}): ReactNode {
  const { label, never, current, value, error, onChange } = props
  const options = useMemo(() => {
    const now = Date.now() / 1000
    return [
      { id: 'never' as const, label: never },
      ...(current === null
        ? []
        : [{ id: 'current' as const, label: t('Until {time}', { time: endMoment(current, now, clockTime) }) }]),
      ...endOptions(now).map(({ id, label, at }) => ({ id, label, hint: endMoment(at, now, clockTime) })),
      { id: 'custom' as const, label: t('Custom time…') },
    ]
  }, [never, current])
  return (
    <>
      <SelectField label={label} value={value.id} options={options} onChange={(id) => onChange({ ...value, id })} />
      {value.id === 'custom' && (
        <ScheduleField value={value.custom} error={error} onChange={(custom) => onChange({ ...value, custom })} />
      )}
    </>
  )
}
