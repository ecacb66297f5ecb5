import { type ReactNode, useId, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { messageTextError } from '../../composer/errors.ts'
import { linkToMessage, quoteOf } from '../../messages/links.ts'
import type { Message } from '../../messages/message.ts'
import { fetchSource } from '../../messages/message-source.ts'
import { ScheduleDialog } from '../../scheduling/schedule-dialog.tsx'
import { scheduleReminder } from '../../scheduling/schedule-reminder.ts'
import { TimeItems } from '../../scheduling/time-items.tsx'
import { scheduleOptions } from '../../scheduling/time-options.ts'
import { toAppError } from '../../store/app-error.ts'
import { type Organization, useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { showToast } from '../../ui/toasts.ts'
import type { PartProps } from './part.ts'

/** Asks when to remind the user of a message. */
export function ReminderMenu({ message, trigger, onClose }: PartProps): ReactNode {
  const organization = useOrganization()
  const labelId = useId()
  const [isCustom, setCustom] = useState(false)
  // The menu closes after one of its items has run.
  const hasDialog = useRef(false)
  const choose = (at: number) => void remind(message, organization, at)

  if (isCustom)
    return <ScheduleDialog title={t('Remind me')} action={t('Remind me')} onChoose={choose} onClose={onClose} />
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
        onChoose={choose}
        onOther={() => {
          hasDialog.current = true
          setCustom(true)
        }}
        onClose={() => hasDialog.current || onClose()}
      />
    </>
  )
}

async function remind(message: Message, organization: Organization, at: number): Promise<void> {
  const { realm_url, user_id } = organization
  try {
    const { raw_content } = await fetchSource(message.id)
    const quoted = t('Reminder: {text}', { text: quoteOf(message, raw_content, realm_url, user_id) })
    // A link is enough for a message whose quote would be too long for another message.
    const content =
      messageTextError(quoted) === null
        ? quoted
        : t('Reminder: {text}', { text: linkToMessage(message, realm_url, user_id) })
    const { id, done } = await scheduleReminder(user_id, content, at)
    showToast(done, { undo: () => void cancel(id) })
  } catch (error) {
    showToast(toAppError(error).message, { kind: 'error' })
  }
}

async function cancel(id: number): Promise<void> {
  try {
    await call('DELETE /scheduled_messages/{scheduled_message_id}', { scheduled_message_id: id })
  } catch (error) {
    showToast(toAppError(error).message, { kind: 'error' })
  }
}
