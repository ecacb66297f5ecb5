import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { HelpLink } from '../help/help-link.tsx'
import { toAppError } from '../store/app-error.ts'
import { t } from '../text/t.ts'
import { Dialog, DialogForm } from '../ui/dialog.tsx'
import { type FieldErrors, focusFirst } from '../ui/error-summary.tsx'
import { TextField } from '../ui/field.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { ScheduleField } from './time-fields.tsx'
import { readLocalMinute, scheduleError, toLocalMinute } from './time-options.ts'

const MAX_NOTE_LENGTH = 500

/** Asks for the time of a reminder and for a note. It closes when `save` has succeeded. */
export function ReminderDialog(props: {
  title: string
  action: string
  note?: string
  /** The time of a reminder that is set already; in an hour if omitted. */
  at?: number
  /** True if the reminder could not be sent, and needs another time. */
  needsTime?: boolean
  save: (reminder: { note: string; at: number }) => Promise<void>
  onClose: () => void
}): ReactNode {
  const { title, action, at: before, needsTime = false, save, onClose } = props
  const [initial] = useState(() => toLocalMinute(before ?? Date.now() / 1000 + 3600))
  const [due, setDue] = useState(initial)
  const [note, setNote] = useState(props.note ?? '')
  const [errors, setErrors] = useState<FieldErrors>({})
  const form = useRef<HTMLFormElement>(null)
  const { mutate, isPending, error } = useMutation({ mutationFn: save, onSuccess: onClose })

  function submit() {
    const isSameTime = before !== undefined && due === initial && !needsTime
    const at = isSameTime ? before : readLocalMinute(due)
    const found: FieldErrors = {
      due: (isSameTime ? null : scheduleError(at, Date.now() / 1000)) ?? undefined,
      note: [...note].length > MAX_NOTE_LENGTH ? t('Shorten the note.') : undefined,
    }
    setErrors(found)
    focusFirst(form.current, found)
    if (at === null || found['due'] !== undefined || found['note'] !== undefined) return
    mutate({ note: note.trim(), at })
  }

  return (
    <Dialog
      title={title}
      isOpen
      onClose={onClose}
      ignoresClicksOutside
      help={<HelpLink page="send-later" about={t('Remind me')} onLeave={onClose} />}
    >
      <DialogForm ref={form} action={action} isPending={isPending} onSubmit={submit} onCancel={onClose}>
        {error !== null && <ErrorNotice title={t('Couldn’t save the reminder')} error={toAppError(error)} />}
        <ScheduleField value={due} error={errors['due'] ?? null} onChange={setDue} />
        <TextField
          label={t('Note (optional)')}
          name="note"
          rows={2}
          value={note}
          maxLength={MAX_NOTE_LENGTH}
          error={errors['note'] ?? null}
          onChange={setNote}
        />
      </DialogForm>
    </Dialog>
  )
}
