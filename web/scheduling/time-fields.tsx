import { type ReactNode, useMemo, useRef, useState } from 'react'
import { t } from '../text/t.ts'
import { TextField } from '../ui/field.tsx'
import { loadPart } from '../ui/load-part.ts'
import { SelectField } from '../ui/select-field.tsx'
import { absoluteTime, clockTime } from '../ui/time.tsx'
import { type EndId, endMoment, endOptions, readLocalMinute, scheduleError, toLocalMinute } from './time-options.ts'

/**
 * Two fields for a time: one for words such as "tomorrow at 9", and one for date and time. The value has the format of
 * `toLocalMinute`.
 */
export function ScheduleField(props: {
  value: string
  error: string | null
  onChange: (value: string) => void
}): ReactNode {
  const { value, onChange } = props
  const [words, setWords] = useState('')
  const [isUnknown, setUnknown] = useState(false)
  const latest = useRef('')
  /** The time that was chosen without words. */
  const chosen = useRef(value)

  async function read(text: string) {
    setWords(text)
    latest.current = text
    const isEmpty = text.trim() === ''
    // Words that name no time leave no time, so that a form with them is refused.
    onChange(isEmpty ? chosen.current : '')
    const at = isEmpty
      ? null
      : await loadPart(() => import('./read-words.ts')).then(
          ({ readWords }) => readWords(text, Date.now() / 1000),
          () => null,
        )
    if (latest.current !== text) return
    setUnknown(at === null && !isEmpty)
    if (at !== null) onChange(toLocalMinute(at))
  }

  function choose(time: string) {
    chosen.current = time
    latest.current = ''
    setWords('')
    setUnknown(false)
    onChange(time)
  }

  const at = readLocalMinute(value)
  const hint = isUnknown
    ? t('Time not recognized. Try “tomorrow at 9” or “in 2 hours”.')
    : words.trim() !== '' && at !== null
      ? absoluteTime(at)
      : t('For example, “tomorrow at 9” or “in 2 hours”.')
  return (
    <>
      <TextField
        label={t('Describe the time')}
        name="words"
        value={words}
        onChange={(text) => void read(text)}
        description={hint}
      />
      <TextField {...props} label={t('When')} name="due" type="datetime-local" isRequired onChange={choose} />
    </>
  )
}

/** The choice of an end time: none, a common one, the current one, or the one in `custom`. */
type EndChoice = { id: EndId | 'never' | 'current' | 'custom'; custom: string }

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
