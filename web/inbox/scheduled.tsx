import { useMutation } from '@tanstack/react-query'
import CalendarClock from 'lucide-react/icons/calendar-clock'
import Pencil from 'lucide-react/icons/pencil'
import SendHorizontal from 'lucide-react/icons/send-horizontal'
import Trash2 from 'lucide-react/icons/trash-2'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { type ReactNode, useRef, useState } from 'react'
import { call } from '../api/call.ts'
import { useDestinationTitle } from '../composer/destination-name.ts'
import { messageTextError } from '../composer/errors.ts'
import { type ConversationRef, toParticipants } from '../messages/narrow.ts'
import { PageFrame } from '../navigation/page.tsx'
import { ScheduleField } from '../scheduling/time-fields.tsx'
import { readLocalMinute, scheduleError, toLocalMinute } from '../scheduling/time-options.ts'
import { toAppError } from '../store/app-error.ts'
import { useOrganization } from '../store/organization.ts'
import type { Reminder, ScheduledMessage } from '../store/scheduled-messages.ts'
import { t } from '../text/t.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogForm } from '../ui/dialog.tsx'
import { type FieldErrors, focusFirst } from '../ui/error-summary.tsx'
import { TextField } from '../ui/field.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { Empty } from '../ui/page-states.tsx'
import { Time } from '../ui/time.tsx'
import { showToast } from '../ui/toasts.ts'
import { ReminderRow } from './list/reminder-row.tsx'
import * as css from './list/unsent.module.css'
import { focusNextRow, UnsentRow, UnsentTabs } from './list/unsent-row.tsx'

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

/** The user's scheduled messages and reminders, including those that could not be sent, in the order of their times. */
export function Scheduled(): ReactNode {
  const { realm_name, user_id, ...known } = useOrganization('realm_name', 'user_id', 'scheduled_messages', 'reminders')
  const titleOf = useDestinationTitle()
  const list = useRef<HTMLUListElement>(null)
  const [changed, setChanged] = useState<ScheduledMessage | null>(null)
  const all = [...known.scheduled_messages, ...known.reminders].sort(
    (one, other) => one.scheduled_delivery_timestamp - other.scheduled_delivery_timestamp,
  )

  return (
    <PageFrame
      title={t('Scheduled')}
      within={realm_name}
      icon={<CalendarClock className="icon" aria-hidden="true" />}
      about={t('Messages and reminders that will be sent automatically at the time you chose.')}
    >
      <UnsentTabs />
      {all.length === 0 ? (
        <Empty icon={<CalendarClock />} title={t('No scheduled messages')}>
          <p>
            {t('To schedule a message, use the button next to “Send”. To set a reminder, open the menu of a message.')}
          </p>
        </Empty>
      ) : (
        <ul ref={list} className={css.unsent}>
          {all.map((message) => {
            if ('reminder_id' in message) {
              const id = `reminder-${message.reminder_id}`
              const when = <When message={message} />
              const leave = () => focusNextRow(list.current, id)
              return <ReminderRow key={id} id={id} reminder={message} when={when} onDelete={leave} />
            }
            const id = String(message.scheduled_message_id)
            const conversation = conversationOf(message, user_id)
            const title = titleOf(conversation)
            return (
              <UnsentRow
                key={id}
                id={id}
                narrow={conversation}
                title={title}
                text={message.content}
                about={<When message={message} />}
              >
                <Button
                  kind="quiet"
                  aria-label={t('Send scheduled message now: {title}', { title })}
                  icon={<SendHorizontal className="icon" aria-hidden="true" />}
                  onPress={() => {
                    focusNextRow(list.current, id)
                    void sendNow(message)
                  }}
                />
                <Button
                  kind="quiet"
                  aria-label={t('Edit scheduled message: {title}', { title })}
                  icon={<Pencil className="icon" aria-hidden="true" />}
                  onPress={() => setChanged(message)}
                />
                <Button
                  kind="quiet"
                  aria-label={t('Delete scheduled message: {title}', { title })}
                  icon={<Trash2 className="icon" aria-hidden="true" />}
                  onPress={() => {
                    focusNextRow(list.current, id)
                    void cancel(message)
                  }}
                />
              </UnsentRow>
            )
          })}
        </ul>
      )}
      {changed !== null && <ScheduledDialog message={changed} onClose={() => setChanged(null)} />}
    </PageFrame>
  )
}

function When({ message }: { message: ScheduledMessage | Reminder }): ReactNode {
  const { failed, scheduled_delivery_timestamp } = message
  return (
    <span className="small soft">
      {failed && (
        <>
          <Badge kind="danger" icon={<TriangleAlert className="icon" aria-hidden="true" />}>
            {t('Not sent')}
          </Badge>{' '}
        </>
      )}
      <Time at={scheduled_delivery_timestamp} as="absolute" />
      {failed && ` · ${t('Notification Bot sent you the reason. Choose another time to try again.')}`}
    </span>
  )
}

function conversationOf({ type, to, topic = '' }: ScheduledMessage, ownId: number): ConversationRef {
  return type === 'stream'
    ? { kind: 'topic', channelId: Number(to), topic }
    : { kind: 'direct', people: toParticipants([to].flat(), ownId) }
}

/** The delay with which "Send now" schedules a message, in seconds. The server accepts only future times. */
const SOON = 2

/** Makes the message due now, so that the server sends it exactly once, even if this page is closed. */
async function sendNow({ scheduled_message_id }: ScheduledMessage): Promise<void> {
  const scheduled_delivery_timestamp = Math.ceil(Date.now() / 1000) + SOON
  if (
    await attempt(
      call('PATCH /scheduled_messages/{scheduled_message_id}', { scheduled_message_id, scheduled_delivery_timestamp }),
    )
  )
    showToast(t('Sending the message now'))
}

/** Deletes a scheduled message immediately, since it may be due soon. Undo schedules it again. */
async function cancel(message: ScheduledMessage): Promise<void> {
  const { scheduled_message_id, type, to, topic, content, scheduled_delivery_timestamp } = message
  const undo = () =>
    attempt(
      call('POST /scheduled_messages', { type, to: JSON.stringify(to), topic, content, scheduled_delivery_timestamp }),
    )
  if (await attempt(call('DELETE /scheduled_messages/{scheduled_message_id}', { scheduled_message_id })))
    showToast(t('Scheduled message deleted'), { undo: () => void undo() })
}

/** Waits for the work. Returns true if it succeeds; otherwise, shows its error in a toast and returns false. */
async function attempt(work: Promise<unknown>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    showToast(toAppError(error).message, { kind: 'error' })
    return false
  }
}
