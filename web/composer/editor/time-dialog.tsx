import { type ReactNode, useRef, useState } from 'react'
import { ScheduleField } from '../../scheduling/time-fields.tsx'
import { readLocalMinute, toLocalMinute } from '../../scheduling/time-options.ts'
import { t } from '../../text/t.ts'
import { Dialog, DialogForm } from '../../ui/dialog.tsx'
import { focusFirst } from '../../ui/error-summary.tsx'

/** Asks for a date and time, and inserts the time into the message. */
export function TimeDialog(props: { onInsert: (text: string) => void; onClose: () => void }): ReactNode {
  const { onInsert, onClose } = props
  const [value, setValue] = useState(() => toLocalMinute(Math.ceil(Date.now() / 3_600_000) * 3600))
  const [error, setError] = useState<string | null>(null)
  const form = useRef<HTMLFormElement>(null)

  function submit() {
    const at = readLocalMinute(value)
    if (at !== null) return onInsert(timeText(at))
    setError(t('Enter a date and time.'))
    focusFirst(form.current, { due: 'missing' })
  }

  return (
    <Dialog title={t('Insert date and time')} isOpen onClose={onClose}>
      <DialogForm ref={form} action={t('Insert')} isPending={false} onSubmit={submit} onCancel={onClose}>
        <p className="soft">{t('Everyone sees it in their own time zone.')}</p>
        <ScheduleField value={value} error={error} onChange={setValue} />
      </DialogForm>
    </Dialog>
  )
}

/** Returns the Markdown of a time, with the offset of the user's time zone. */
function timeText(at: number): string {
  const minutes = -new Date(at * 1000).getTimezoneOffset()
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const sign = minutes < 0 ? '-' : '+'
  const offset = minutes === 0 ? 'Z' : `${sign}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`
  return `<time:${toLocalMinute(at)}:00${offset}>`
}
