import { type ReactNode, useRef, useState } from 'react'
import { loadPart } from '../../store/load-part.ts'
import { t } from '../../text/t.ts'
import { TextField } from '../../ui/fields/field.tsx'
import { absoluteTime } from '../../ui/time/time.tsx'
import { readLocalMinute, toLocalMinute } from './schedule-options.ts'

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
