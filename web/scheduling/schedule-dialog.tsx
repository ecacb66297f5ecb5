import { type ReactNode, useRef, useState } from 'react'
import { HelpLink } from '../help/help-link.tsx'
import { t } from '../text/t.ts'
import { Dialog, DialogForm } from '../ui/dialog.tsx'
import { focusFirst } from '../ui/error-summary.tsx'
import { ScheduleField } from './time-fields.tsx'
import { readLocalMinute, scheduleError, toLocalMinute } from './time-options.ts'

/** Asks when to send a message; the default is an hour from now. */
export function ScheduleDialog({
  title = t('Send later'),
  action = t('Schedule'),
  onChoose,
  onClose,
}: {
  title?: string
  action?: string
  onChoose: (at: number) => void
  onClose: () => void
}): ReactNode {
  const [value, setValue] = useState(() => toLocalMinute(Date.now() / 1000 + 3600))
  const [error, setError] = useState<string | null>(null)
  const form = useRef<HTMLFormElement>(null)

  function submit() {
    const at = readLocalMinute(value)
    const problem = scheduleError(at, Date.now() / 1000)
    setError(problem)
    focusFirst(form.current, { due: problem ?? undefined })
    if (at === null || problem !== null) return
    onClose()
    onChoose(at)
  }

  return (
    <Dialog
      title={title}
      isOpen
      onClose={onClose}
      help={<HelpLink page="send-later" about={t('Send later')} onLeave={onClose} />}
    >
      <DialogForm ref={form} action={action} isPending={false} onSubmit={submit} onCancel={onClose}>
        <ScheduleField value={value} error={error} onChange={setValue} />
      </DialogForm>
    </Dialog>
  )
}
