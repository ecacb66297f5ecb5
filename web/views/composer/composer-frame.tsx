import SendHorizontal from 'lucide-react/icons/send-horizontal'
import {
  type ClipboardEvent,
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react'
import { toAppError } from '../../store/app-error.ts'
import type { ConversationRef } from '../../store/messages/narrow.ts'
import { useOrganization } from '../../store/organization.ts'
import { useDroppedFiles } from '../../store/page/dropped-files.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { ErrorSummary, type FieldErrors } from '../../ui/fields/error-summary.tsx'
import { TextField } from '../../ui/fields/field.tsx'
import { SendLater } from '../later/send-later.tsx'
import { AttachButton } from './attach-button.tsx'
import './composer.css'
import { t } from '../../text/t.ts'
import { FormatBar, formatByKey } from './format-bar.tsx'
import { lengthOf, MAX_LENGTH } from './message-text.ts'
import { pasteFormatted } from './paste.ts'
import { Preview } from './preview.tsx'
import { SnippetsButton } from './snippets-button.tsx'
import { TypingLine } from './typing-line.tsx'
import { useUploads } from './use-uploads.ts'

/** The compose box; `children` choose the destination. */
export function ComposerFrame(props: {
  form: RefObject<HTMLFormElement | null>
  label: string
  text: string
  onText: (text: string) => void
  errors: FieldErrors
  /** The current narrow, if it is a single conversation. */
  spot?: ConversationRef
  /** `error` is the error of the last message. */
  sending: { isPending: boolean; hasWaiting: boolean; error: unknown }
  /** Sends the message immediately, or at a time in UNIX seconds. */
  onSubmit: (dueAt: number | null) => void
  children?: ReactNode
}): ReactNode {
  const { form, label, text, onText, errors, spot: conversation, sending, onSubmit, children } = props
  const sendsByEnter = useOrganization().user_settings.enter_sends
  const hint = sendsByEnter ? t('Enter sends') : t('Ctrl+Enter sends')
  const length = lengthOf(text)
  const uploads = useUploads(text, onText)
  const isUploading = uploads.names.length > 0
  const dueAt = useRef<number | null>(null)
  const [wantsPreview, setWantsPreview] = useState(false)
  const isPreviewable = text.trim() !== '' && errors['text'] === undefined
  const isPreviewed = wantsPreview && isPreviewable
  useEffect(() => {
    if (!isPreviewable) setWantsPreview(false)
  }, [isPreviewable])

  const field = () => form.current?.querySelector('textarea') ?? null

  function submitAt(time: number | null) {
    dueAt.current = time
    onSubmit(time)
  }

  function sendAgain() {
    // The button is removed with the error.
    field()?.focus()
    if (!isUploading) submitAt(dueAt.current)
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isUploading) submitAt(null)
  }

  useDroppedFiles(uploads.add)

  function takePasted(event: ClipboardEvent) {
    if (!isWithin(event)) return
    const { files, types } = event.clipboardData
    // Word processors add a picture of the text to the clipboard.
    const areFiles = files.length > 0 && !types.includes('text/plain')
    if (areFiles) uploads.add([...files])
    if (areFiles || pasteFormatted(event)) event.preventDefault()
  }

  function actByKey(event: KeyboardEvent) {
    if (formatByKey(event)) return
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || event.shiftKey || event.altKey) return
    if (!sendsByEnter && !event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    if (!isUploading) submitAt(null)
  }

  return (
    <form
      ref={form}
      id="writing"
      className="composer card"
      aria-label={t('New message')}
      noValidate
      onSubmit={submit}
      data-pane
      onPaste={takePasted}
    >
      {conversation !== undefined && <TypingLine spot={conversation} />}
      {sending.error !== null && (
        <ErrorNotice
          title={t('Couldn’t send the message')}
          trouble={toAppError(sending.error)}
          retry={t('Try again')}
          onRetry={sendAgain}
        />
      )}
      <ErrorSummary errors={errors} />
      {children}
      <div className="composer-text" hidden={isPreviewed}>
        <TextField
          label={label}
          name="text"
          rows={2}
          placeholder={label}
          value={text}
          error={errors['text'] ?? null}
          onKeyDown={actByKey}
          onChange={onText}
        />
      </div>
      {isPreviewed && <Preview text={text} />}
      {uploads.failure !== null && (
        <ErrorNotice title={t('Couldn’t upload the file')} trouble={toAppError(uploads.failure)} />
      )}
      <div role="status" className="composer-uploads soft small">
        {isUploading && (
          <>
            {t('Uploading {names}. You can send the message when it’s done.', { names: uploads.names.join(', ') })}{' '}
            <Button kind="quiet" onPress={uploads.cancel}>
              {t('Cancel')}
            </Button>
          </>
        )}
        {sending.hasWaiting && t('Your next message will be sent after this one.')}
      </div>
      <div className="composer-send">
        <FormatBar field={field} isDisabled={isPreviewed} />
        <AttachButton onFiles={uploads.add} />
        <SnippetsButton field={field} isDisabled={isPreviewed} />
        <Button kind="quiet" isDisabled={!isPreviewable} onPress={() => setWantsPreview(!isPreviewed)}>
          {isPreviewed ? t('Edit') : t('Preview')}
        </Button>
        {length > MAX_LENGTH * 0.8 ? (
          <span className="composer-hint composer-count soft small">
            {t('{count} of {max} characters', { count: length, max: MAX_LENGTH })}
          </span>
        ) : (
          <span className="composer-hint soft small">{hint}</span>
        )}
        <div className="composer-send-now">
          <span title={hint}>
            <Button
              type="submit"
              kind="primary"
              isPending={sending.isPending}
              isDisabled={isUploading}
              icon={<SendHorizontal className="icon" aria-hidden="true" />}
            >
              {t('Send')}
            </Button>
          </span>
          <SendLater isDisabled={sending.isPending || isUploading} onChoose={submitAt} />
        </div>
      </div>
    </form>
  )
}

/** React bubbles events of dialogs that were opened from the form, which the form must ignore. */
const isWithin = ({ currentTarget, target }: ClipboardEvent) => currentTarget.contains(target as Node)
