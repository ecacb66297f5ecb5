import SendHorizontal from 'lucide-react/icons/send-horizontal'
import type { FormEvent, KeyboardEvent, ReactNode, RefObject } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { toTrouble } from '../../store/trouble.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { ErrorSummary, type FieldErrors } from '../../ui/error-summary.tsx'
import { TextField } from '../../ui/field.tsx'
import './composer.css'
import { lengthOf, MAX_LENGTH } from './message-text.ts'

/** The form that messages are written in; `children` say where they go. */
export function ComposerFrame(props: {
  form: RefObject<HTMLFormElement | null>
  label: string
  text: string
  onText: (text: string) => void
  errors: FieldErrors
  /** Why the last message was not sent. */
  failure: unknown
  isPending: boolean
  onSubmit: () => void
  children?: ReactNode
}): ReactNode {
  const { form, label, text, onText, errors, failure, isPending, onSubmit, children } = props
  const sendsByEnter = useOrganization().user_settings.enter_sends
  const length = lengthOf(text)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isPending) onSubmit()
  }

  function sendByKey(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || event.shiftKey || event.altKey) return
    if (!sendsByEnter && !event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    if (!isPending) onSubmit()
  }

  return (
    <form
      ref={form}
      id="writing"
      className="composer card"
      aria-label="New message"
      noValidate
      onSubmit={submit}
      data-pane
    >
      {failure !== null && <ErrorNotice title="The message was not sent" trouble={toTrouble(failure)} />}
      <ErrorSummary errors={errors} />
      {children}
      <TextField
        label={label}
        name="text"
        rows={2}
        value={text}
        error={errors['text'] ?? null}
        onKeyDown={sendByKey}
        onChange={onText}
      />
      <div className="composer-send">
        <span className="soft small">
          {length > MAX_LENGTH * 0.8
            ? `${length} of ${MAX_LENGTH} characters`
            : sendsByEnter
              ? 'Enter sends'
              : 'Ctrl+Enter sends'}
        </span>
        <Button
          type="submit"
          kind="primary"
          isPending={isPending}
          icon={<SendHorizontal className="icon" aria-hidden="true" />}
        >
          Send
        </Button>
      </div>
    </form>
  )
}
