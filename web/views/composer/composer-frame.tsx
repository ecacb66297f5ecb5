import {
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { useDroppedFiles } from '../../store/page/dropped-files.ts'
import { useInsertRequests } from '../../store/page/insert-request.ts'
import { t } from '../../text/t.ts'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { writingLandmark } from '../../ui/layout/landmarks.ts'
import { useStableCallbacks } from '../../ui/use-stable-callbacks.ts'
import { SendButtons } from './bar/send-buttons.tsx'
import './composer.css'
import type { ComposerError } from './composer-error.ts'
import type { ComposerPage, Destination } from './destination.ts'
import { emojiEdit } from './editor/formatting.ts'
import { MessageEditor } from './editor/message-editor.tsx'
import { applyEdit, selectionOf } from './editor/text-area.ts'
import { TypingLine } from './typing/typing-line.tsx'
import type { UploadTarget } from './uploads/running-uploads.ts'
import { useUploads } from './uploads/use-uploads.ts'
import { useOpenState } from './use-open-state.ts'
import { useSendKeyQuestion } from './use-send-key-question.tsx'
import type { WidgetKind } from './widgets/widget-text.ts'

type Props = {
  form: RefObject<HTMLFormElement | null>
  label: string
  placeholder: string
  text: string
  onText: (text: string) => void
  error: ComposerError | null
  page: ComposerPage
  destination: Destination
  uploadTarget: UploadTarget
  /** Called when the box opens or closes. */
  onOpen: (isOpen: boolean) => void
  isAlwaysOpen: boolean
  /** The state of the last message that was scheduled. */
  sending: { isPending: boolean; error: unknown }
  /** Content above the text, such as warnings. */
  notes?: ReactNode
  /** Sends the message immediately, or at a time in UNIX seconds. */
  onSubmit: (dueAt: number | null) => void
  /** Handles a key in the text before the editor does. Returns true if it handled the key. */
  onKeyDown?: (event: KeyboardEvent<HTMLTextAreaElement>) => boolean
  /** Opens the dialog for a poll or to-do list. */
  onWidget: (kind: WidgetKind) => void
  children?: ReactNode
}

/**
 * The compose box: one line when it is empty and not focused, otherwise with the recipients (`children`) and all tools.
 */
export function ComposerFrame(props: Props): ReactNode {
  useLayoutEffect(writingLandmark, [])
  const { form, text, onText, error, page, sending, onSubmit, isAlwaysOpen } = props
  const sendsByEnter = useOrganization().user_settings.enter_sends
  const uploads = useUploads(props.uploadTarget, text, onText)
  useDroppedFiles(uploads.add)
  const field = useRef<HTMLTextAreaElement>(null)
  useInsertRequests(useCallback((inserted) => insertAtCursor(field.current, inserted), []))
  const dueAt = useRef<number | null>(null)
  const isBusy = text !== '' || uploads.items.length > 0 || error !== null || sending.error !== null
  const isOpen = useOpenState(form, isAlwaysOpen || isBusy)
  const [isExpanded, expand] = useExpansion(isOpen.value)

  function submitAt(time: number | null) {
    if (uploads.isBusy || uploads.hasFailed) return
    dueAt.current = time
    expand(false)
    onSubmit(time)
  }

  const { schedule, emitOpen } = useStableCallbacks({ schedule: submitAt, emitOpen: props.onOpen })
  useEffect(() => emitOpen(isOpen.value), [isOpen.value, emitOpen])

  const sendKey = useSendKeyQuestion({ field, text, onText, send: () => schedule(null) })

  function sendAgain() {
    // The focused button disappears together with the error.
    field.current?.focus()
    submitAt(dueAt.current)
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (props.onKeyDown?.(event)) return
    if (event.key === 'Escape') return expand(false)
    if (!isSendKey(event, sendsByEnter)) {
      if (isSendKey(event, true)) sendKey.ask()
      return
    }
    event.preventDefault()
    sendKey.noteSent()
    submitAt(null)
  }

  return (
    <form
      ref={form}
      id="writing"
      className="composer"
      aria-label={t('New message')}
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        submitAt(null)
      }}
      data-pane
      data-open={isOpen.value || undefined}
      data-expanded={isExpanded || undefined}
    >
      {(page.kind === 'topic' || page.kind === 'direct') && <TypingLine conversation={page} />}
      <div className="composer-box" data-suggestions>
        {sending.error !== null && <ScheduleError error={sending.error} onRetry={sendAgain} />}
        {isOpen.value && props.notes}
        {sendKey.question}
        {isOpen.value && props.children}
        {error !== null && error.field !== 'text' && <RecipientError text={error.text} />}
        <MessageEditor
          field={field}
          label={props.label}
          placeholder={props.placeholder}
          text={text}
          onText={onText}
          error={error?.field === 'text' ? error.text : null}
          destination={props.destination}
          uploads={uploads}
          onWidget={props.onWidget}
          hasAllTools={isOpen.value}
          {...(!isAlwaysOpen && { expansion: { isOn: isExpanded, onChange: expand } })}
          onKeyDown={onKeyDown}
          onFocus={isOpen.open}
        >
          <span role="status" className="composer-status soft small">
            {uploads.isBusy
              ? t('The message can be sent when the upload is done.')
              : uploads.hasFailed && t('Retry or remove the files that couldn’t be uploaded.')}
          </span>
          {isOpen.value && <SendHint sendsByEnter={sendsByEnter} />}
          <SendButtons
            keys={sendsByEnter ? t('Enter') : t('Ctrl+Enter')}
            isPending={sending.isPending}
            isDisabled={uploads.isBusy || uploads.hasFailed}
            onSchedule={isOpen.value ? schedule : null}
          />
        </MessageEditor>
      </div>
    </form>
  )
}

/**
 * Returns whether the compose box is expanded, and a function that changes this. Closing the compose box also collapses
 * it.
 */
function useExpansion(isOpen: boolean): [boolean, (isExpanded: boolean) => void] {
  const [isExpanded, expand] = useState(false)
  useEffect(() => {
    if (!isOpen) expand(false)
  }, [isOpen])
  return [isExpanded, expand]
}

function isSendKey(event: KeyboardEvent, sendsByEnter: boolean): boolean {
  if (event.key !== 'Enter' || event.nativeEvent.isComposing || event.shiftKey || event.altKey) return false
  return sendsByEnter || event.ctrlKey || event.metaKey
}

/** Names the keys that send and start a new line, beside the button that sends. */
const SendHint = ({ sendsByEnter }: { sendsByEnter: boolean }): ReactNode => (
  <span className="composer-hint soft small">
    {sendsByEnter ? t('Enter sends · Shift+Enter for a new line') : t('Ctrl+Enter sends · Enter for a new line')}
  </span>
)

function ScheduleError({ error, onRetry }: { error: unknown; onRetry: () => void }): ReactNode {
  return (
    <ErrorNotice
      title={t('Couldn’t schedule the message')}
      error={toAppError(error)}
      retry={t('Try again')}
      onRetry={onRetry}
    />
  )
}

function RecipientError({ text }: { text: string }): ReactNode {
  return (
    <p className="field-error" role="alert">
      {text}
    </p>
  )
}

function insertAtCursor(area: HTMLTextAreaElement | null, text: string): void {
  if (area !== null) applyEdit(area, emojiEdit(text, selectionOf(area)))
}
