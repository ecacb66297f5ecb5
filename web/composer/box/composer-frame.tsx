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
import { useInsertRequests } from '../../browser/compose-requests.ts'
import { useDroppedFiles } from '../../browser/dropped-files.ts'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { writingLandmark } from '../../ui/landmarks.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { useStableCallbacks } from '../../ui/use-stable-callbacks.ts'
import * as css from '../composer.module.css'
import type { ComposerPage, Destination } from '../destination.ts'
import { SendButtons } from '../editor/bar-buttons.tsx'
import { emojiEdit } from '../editor/formatting.ts'
import { applyEdit, selectionOf } from '../editor/text-area.ts'
import type { ComposerError } from '../errors.ts'
import { MessageEditor } from '../message-editor.tsx'
import type { UploadTarget } from '../uploads.ts'
import { useUploads } from '../use-uploads.ts'
import { TypingLine } from './typing-line.tsx'
import { useSendKeyQuestion } from './use-send-key-question.tsx'
import type { WidgetKind } from './widget-text.ts'

/**
 * Returns true while a compose box shows all of its tools. It opens when its text gets the focus. If it is empty, it
 * closes when the user acts elsewhere on the page: after a click, not before, so that nothing moves under the pointer.
 */
function useOpenState(
  form: RefObject<HTMLFormElement | null>,
  isNeeded: boolean,
): { value: boolean; open: () => void } {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (!isOpen || isNeeded) return
    const end = new AbortController()
    const { signal } = end
    const closeIfOutside = (target: EventTarget | null) => {
      const isInside = target instanceof Element && (form.current?.contains(target) || target.closest(LAYERS) !== null)
      if (!isInside) setOpen(false)
    }
    document.addEventListener('click', ({ target }) => closeIfOutside(target), { signal })
    document.addEventListener('keyup', () => closeIfOutside(document.activeElement), { signal })
    return () => end.abort()
  }, [form, isOpen, isNeeded])
  const value = isOpen || isNeeded
  useSecondClickGuard(form, value)
  return { value, open: () => setOpen(true) }
}

/** Menus and dialogs. They may belong to the compose box. */
const LAYERS = '[role="dialog"], [role="menu"], [role="listbox"], .overlay, .popover, .suggestions'

/** The maximum time between the presses of a double click, in milliseconds, and the distance between them, in pixels. */
const DOUBLE_CLICK = { time: 500, distance: 8 }

const PRESS_EVENTS = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'] as const

/**
 * Ignores the second press of a double click that opens the compose box. Tools have appeared under the pointer, and
 * the focus must stay in the text.
 */
function useSecondClickGuard(form: RefObject<HTMLFormElement | null>, isOpen: boolean): void {
  /** The last press on the closed box, or the last one that was ignored. */
  const opening = useRef<MouseEvent>(null)
  const isIgnored = useRef(false)
  useEffect(() => {
    const end = new AbortController()
    const guard = (event: MouseEvent) => {
      if (event.type === 'pointerdown') {
        const isInText = event.target instanceof Element && event.target.closest('textarea') !== null
        isIgnored.current = isOpen && !isInText && isSecondPress(opening.current, event)
        if (!isOpen || isIgnored.current) opening.current = event
      }
      if (!isIgnored.current) return
      event.stopPropagation()
      // The default action of a press moves the focus and selects words.
      if (event.type !== 'pointerdown') return event.preventDefault()
      // Disabled buttons get no event whose default action could be prevented.
      const text = form.current?.querySelector('textarea')
      if (text && text === document.activeElement) requestAnimationFrame(() => text.focus())
    }
    for (const type of PRESS_EVENTS) form.current?.addEventListener(type, guard, { capture: true, signal: end.signal })
    return () => end.abort()
  }, [form, isOpen])
}

const isSecondPress = (first: MouseEvent | null, second: MouseEvent): boolean =>
  first !== null &&
  second.timeStamp - first.timeStamp < DOUBLE_CLICK.time &&
  Math.hypot(second.clientX - first.clientX, second.clientY - first.clientY) < DOUBLE_CLICK.distance

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
  const sendsByEnter = useOrganization('user_settings').user_settings.enter_sends
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
      className={css.composer}
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
      <div className={css.composerBox} data-suggestions>
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
          <span role="status" className={`${css.composerStatus} soft small`}>
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
  <span className={`${css.composerHint} soft small`}>
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
