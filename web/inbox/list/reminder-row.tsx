import { useQuery } from '@tanstack/react-query'
import AlarmClock from 'lucide-react/icons/alarm-clock'
import Pencil from 'lucide-react/icons/pencil'
import Trash2 from 'lucide-react/icons/trash-2'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { useDestinationTitle } from '../../composer/destination-name.ts'
import type { Message } from '../../messages/message.ts'
import { fetchSource } from '../../messages/message-source.ts'
import { conversationOf } from '../../messages/narrow.ts'
import { ReminderDialog } from '../../scheduling/reminder-dialog.tsx'
import { remindOfMessage } from '../../scheduling/schedule-reminder.ts'
import { toAppError } from '../../store/app-error.ts'
import { useOwnId } from '../../store/organization.ts'
import type { Reminder } from '../../store/scheduled-messages.ts'
import { t } from '../../text/t.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/toasts.ts'
import { UnsentRow } from './unsent-row.tsx'

/** A reminder, with the message that it is about if the user can still read it. `when` shows its time. */
export function ReminderRow(props: { id: string; reminder: Reminder; when: ReactNode; onDelete: () => void }) {
  const { id, reminder, when, onDelete } = props
  const { reminder_id, reminder_target_message_id: messageId, content, scheduled_delivery_timestamp, failed } = reminder
  const ownId = useOwnId()
  const titleOf = useDestinationTitle()
  const [isEditing, setEditing] = useState(false)
  const { data, isPending } = useQuery({
    queryKey: ['reminder-message', messageId],
    queryFn: ({ signal }) => fetchSource(messageId, signal),
    retry: false,
    gcTime: 0,
  })
  const narrow = data === undefined ? null : conversationOf(data.message as Message, ownId)
  const title = narrow === null ? (isPending ? t('Message') : t('Message unavailable')) : titleOf(narrow)

  return (
    <UnsentRow
      id={id}
      narrow={narrow}
      elsewhere="/scheduled"
      near={messageId}
      title={title}
      text={content || (data?.raw_content ?? '')}
      about={
        <span>
          <Badge icon={<AlarmClock className="icon" aria-hidden="true" />}>{t('Reminder')}</Badge> {when}
        </span>
      }
    >
      <Button
        kind="quiet"
        aria-label={t('Edit reminder: {title}', { title })}
        icon={<Pencil className="icon" aria-hidden="true" />}
        onPress={() => setEditing(true)}
      />
      <Button
        kind="quiet"
        aria-label={t('Delete reminder: {title}', { title })}
        icon={<Trash2 className="icon" aria-hidden="true" />}
        onPress={() => {
          onDelete()
          void remove(reminder)
        }}
      />
      {isEditing && (
        <ReminderDialog
          title={t('Edit reminder')}
          action={t('Save')}
          note={content}
          at={scheduled_delivery_timestamp}
          needsTime={failed}
          save={async ({ note, at }) => {
            const change = { note, scheduled_delivery_timestamp: at }
            await call('PATCH /reminders/{reminder_id}', { reminder_id, ...change })
          }}
          onClose={() => setEditing(false)}
        />
      )}
    </UnsentRow>
  )
}

/** Deletes a reminder immediately, since it may be due soon. Undo sets it again. */
async function remove(reminder: Reminder): Promise<void> {
  const { reminder_id, reminder_target_message_id, content: note, scheduled_delivery_timestamp: at } = reminder
  const showError = (error: unknown) => showToast(toAppError(error).message, { kind: 'error' })
  try {
    await call('DELETE /reminders/{reminder_id}', { reminder_id })
    const undo = () => void remindOfMessage(reminder_target_message_id, { at, note }).catch(showError)
    showToast(t('Reminder deleted'), { undo })
  } catch (error) {
    showError(error)
  }
}
