import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import type { ScheduledMessage } from '../../../store/events/scheduled-messages.ts'
import { t } from '../../../text/t.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { DialogForm } from '../../../ui/dialog/dialog-form.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { type FieldErrors, focusFirst } from '../../../ui/fields/error-summary.tsx'
import { TextField } from '../../../ui/fields/field.tsx'
import { messageTextError } from '../../composer/message-text.ts'
import { ScheduleField } from '../../scheduling/schedule-field.tsx'
import { readLocalMinute, scheduleError, toLocalMinute } from '../../scheduling/schedule-options.ts'

type Props = { message: ScheduledMessage; onClose: () => void }

/** Edits the text and time of a scheduled message. */
export function ScheduledDialog(props: Props): ReactNode {
  return (
    <Dialog title={t('Edit scheduled message')} isOpen onClose={props.onClose} ignoresClicksOutside>
      <ScheduledForm {...props} />
    </Dialog>
  )
}

function ScheduledForm({ message, onClose }: Props): ReactNode {
  const minute = toLocalMinute(message.scheduled_delivery_timestamp)
  const [due, setDue] = useState(minute)
  const [text, setText] = useState(message.content)
  const [errors, setErrors] = useState<FieldErrors>({})
  const form = useRef<HTMLFormElement>(null)
  const { mutate, isPending, error } = useMutation({
    mutationFn: (change: { content?: string; scheduled_delivery_timestamp?: number }) =>
      call('PATCH /scheduled_messages/{scheduled_message_id}', {
        scheduled_message_id: message.scheduled_message_id,
        ...change,
      }),
    onSuccess: onClose,
  })

  function submit() {
    const at = readLocalMinute(due)
    const isMoved = due !== minute || message.failed
    const problem = isMoved ? scheduleError(at, Date.now() / 1000) : null
    const found: FieldErrors = { text: messageTextError(text) ?? undefined, due: problem ?? undefined }
    setErrors(found)
    focusFirst(form.current, found)
    if (Object.values(found).some((one) => one !== undefined)) return
    const change = {
      ...(text !== message.content && { content: text }),
      ...(isMoved && at !== null && { scheduled_delivery_timestamp: at }),
    }
    if (Object.keys(change).length === 0) onClose()
    else mutate(change)
  }

  return (
    <DialogForm ref={form} action={t('Save')} isPending={isPending} onSubmit={submit} onCancel={onClose}>
      {error !== null && <ErrorNotice title={t('Couldn’t save the changes')} error={toAppError(error)} />}
      <TextField
        label={t('Message')}
        name="text"
        rows={5}
        autoFocus
        value={text}
        error={errors['text'] ?? null}
        onChange={setText}
      />
      <ScheduleField value={due} error={errors['due'] ?? null} onChange={setDue} />
    </DialogForm>
  )
}
