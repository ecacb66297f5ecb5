import type { ReactNode } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import type { Message } from '../../../store/messages/message.ts'
import { peopleOf } from '../../../store/messages/narrow.ts'
import type { ChoiceForm } from '../../../store/messages/widgets/read-widget.ts'
import { useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { showToast } from '../../../ui/feedback/toasts.ts'

/** The choices that a bot offers. Choosing one sends its reply to the conversation. */
export function ChoiceWidget({ form, message }: { form: ChoiceForm; message: Message }): ReactNode {
  const { user_id } = useOrganization()

  async function send(content: string) {
    const to =
      message.stream_id === undefined
        ? { type: 'direct' as const, to: JSON.stringify(peopleOf(message, user_id)) }
        : { type: 'channel' as const, to: JSON.stringify([message.stream_id]), topic: message.subject }
    await call('POST /messages', { ...to, content }).catch((error: unknown) =>
      showToast(toAppError(error).message, { kind: 'error' }),
    )
  }

  return (
    <section className="widget" aria-label={t('Choices')}>
      <p className="widget-title">{form.heading}</p>
      <ul className="poll-options">
        {form.choices.map(({ label, text, reply }) => (
          <li key={`${label} ${reply}`}>
            <button type="button" className="poll-option" onClick={() => void send(reply)}>
              <b>{label}</b>
              <span className="poll-text">{text}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
