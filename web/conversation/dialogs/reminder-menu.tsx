import { type ReactNode, useId, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { ReminderDialog } from '../../scheduling/reminder-dialog.tsx'
import { remindOfMessage } from '../../scheduling/schedule-reminder.ts'
import { TimeItems } from '../../scheduling/time-items.tsx'
import { scheduleOptions } from '../../scheduling/time-options.ts'
import { toAppError } from '../../store/app-error.ts'
import { t } from '../../text/t.ts'
import { showToast } from '../../ui/toasts.ts'
import type { PartProps } from './part.ts'

/** Asks when to remind the user of a message. */
export function ReminderMenu({ message, trigger, onClose }: PartProps): ReactNode {
  const labelId = useId()
  const [isCustom, setCustom] = useState(false)
  // The menu closes after one of its items has run.
  const hasDialog = useRef(false)

  if (isCustom)
    return (
      <ReminderDialog
        title={t('Remind me')}
        action={t('Remind me')}
        save={(reminder) => remind(message.id, reminder)}
        onClose={onClose}
      />
    )
  const now = Date.now() / 1000
  return (
    <>
      <span id={labelId} hidden>
        {t('Remind me')}
      </span>
      <TimeItems
        trigger={trigger}
        labelId={labelId}
        placement="bottom end"
        focus="first"
        options={[{ name: t('In 20 minutes'), at: Math.floor(now) + 20 * 60 }, ...scheduleOptions(now)]}
        onChoose={(at) => void attempt(remind(message.id, { at, note: '' }))}
        onOther={() => {
          hasDialog.current = true
          setCustom(true)
        }}
        onClose={() => hasDialog.current || onClose()}
      />
    </>
  )
}

async function remind(messageId: number, reminder: { at: number; note: string }): Promise<void> {
  const { id, done } = await remindOfMessage(messageId, reminder)
  showToast(done, { undo: () => void attempt(call('DELETE /reminders/{reminder_id}', { reminder_id: id })) })
}

async function attempt(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    showToast(toAppError(error).message, { kind: 'error' })
  }
}
