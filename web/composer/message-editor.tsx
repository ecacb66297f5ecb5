import { useQuery } from '@tanstack/react-query'
import CalendarClock from 'lucide-react/icons/calendar-clock'
import Eye from 'lucide-react/icons/eye'
import Maximize2 from 'lucide-react/icons/maximize-2'
import Minimize2 from 'lucide-react/icons/minimize-2'
import {
  type ClipboardEvent,
  type KeyboardEvent,
  memo,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react'
import { MAX_MESSAGE_LENGTH } from '#rules/shared-limits.ts'
import { call } from '../api/call.ts'
import { RenderedContent } from '../message-view/rendered-content.tsx'
import { toAppError } from '../store/app-error.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { lazyExtra } from '../ui/lazy-part.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { Loading } from '../ui/page-states.tsx'
import { useStableCallbacks } from '../ui/use-stable-callbacks.ts'
import { joinAttachments, splitAttachments } from './attachments.ts'
import type { WidgetKind } from './box/widget-text.ts'
import * as css from './composer.module.css'
import type { Destination } from './destination.ts'
import { BarButton } from './editor/bar-button.tsx'
import { EmojiButton, PlusMenu } from './editor/bar-buttons.tsx'
import { MessageField } from './editor/message-field.tsx'
import { paste } from './editor/paste.ts'
import { useInsertDialogs } from './editor/use-insert-dialogs.tsx'
import { lengthError, lengthOf } from './errors.ts'
import type { Uploads } from './use-uploads.ts'

/** Shows the text as the server renders it. */
function Preview({ text }: { text: string }): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['preview', text],
    queryFn: ({ signal }) => call('POST /messages/render', { content: text }, { signal }),
    gcTime: 0,
  })
  if (error !== null)
    return (
      <ErrorNotice title={t('Couldn’t load the preview')} error={toAppError(error)} onRetry={() => void refetch()} />
    )
  if (data === undefined) return <Loading label={t('Loading preview')} lines={2} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className={css.composerPreview} aria-label={t('Preview')} tabIndex={0}>
      <RenderedContent html={data.rendered} />
    </section>
  )
}

const AttachmentTray = lazyExtra(async () => (await import('./editor/attachment-tray.tsx')).AttachmentTray)
const CallButtons = memo(lazyExtra(async () => (await import('./editor/format-bar.tsx')).CallButtons))
const GifButton = memo(lazyExtra(async () => (await import('./editor/format-bar.tsx')).GifButton))
const FormatBar = memo(lazyExtra(async () => (await import('./editor/format-bar.tsx')).FormatBar))

type Toggle = { readonly isOn: boolean; readonly onChange: (isOn: boolean) => void }

/**
 * The text of a message with everything that helps to write it: completion, formats, emoji, files, and a preview.
 * `children` are the buttons at the end of the bar.
 */
export function MessageEditor(props: {
  field: RefObject<HTMLTextAreaElement | null>
  label: string
  placeholder?: string
  text: string
  onText: (text: string) => void
  error: string | null
  describedBy?: string
  destination: Destination
  uploads: Uploads
  /** Opens the dialog for a poll or to-do list; omitted for edits, since only new messages can contain them. */
  onWidget?: (kind: WidgetKind) => void
  /** False for a closed editor, which shows only the buttons that insert something. */
  hasAllTools?: boolean
  /** The button that expands the editor to the full height; omitted if the editor can't be expanded. */
  expansion?: Toggle
  onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => void
  onFocus?: () => void
  children: ReactNode
}): ReactNode {
  const { field, text, onText, error, uploads, onWidget, hasAllTools = true, expansion, children } = props
  const { body, attachments } = splitAttachments(text)
  const files = useRef<HTMLInputElement>(null)
  const dialogs = useInsertDialogs(() => field.current, props.destination)
  // The callbacks never change, so that typing does not render the buttons again.
  const { find, chooseFiles, openTime, openSnippets, openWidget, startCall, openGifs } = useStableCallbacks({
    find: () => field.current,
    chooseFiles: () => files.current?.click(),
    openWidget: (kind: WidgetKind) => onWidget?.(kind),
    openTime: () => dialogs.openTime(),
    openSnippets: dialogs.openSnippets,
    startCall: dialogs.startCall,
    openGifs: dialogs.openGifs,
  })
  useEffect(() => {
    // The focus also returns to the text if no files are chosen.
    const input = files.current
    const focusText = () => field.current?.focus()
    input?.addEventListener('cancel', focusText)
    return () => input?.removeEventListener('cancel', focusText)
  }, [field])
  const [wantsPreview, setWantsPreview] = useState(false)
  const isPreviewable = text.trim() !== ''
  const length = lengthOf(text)
  useEffect(() => {
    if (!isPreviewable) setWantsPreview(false)
  }, [isPreviewable])

  /** Toggles the preview with Alt+P, and opens the snippets with Ctrl+'. Returns true for these keys. */
  function openByKey(event: KeyboardEvent): boolean {
    const { key, code, ctrlKey, metaKey, altKey, shiftKey } = event
    const isPreview = altKey && !ctrlKey && !metaKey && code === 'KeyP'
    const isSnippets = (ctrlKey || metaKey) && !altKey && !shiftKey && key === "'"
    if (!isPreview && !isSnippets) return false
    event.preventDefault()
    if (isSnippets) dialogs.openSnippets()
    else setWantsPreview(isPreviewable && !wantsPreview)
    return true
  }

  return (
    <>
      <div className={css.editorText} data-previewed={wantsPreview || undefined}>
        <MessageField
          field={field}
          label={props.label}
          {...(props.placeholder !== undefined && { placeholder: props.placeholder })}
          text={body}
          onText={(body) => onText(joinAttachments(body, attachments))}
          error={error ?? lengthError(text)}
          {...(props.describedBy !== undefined && { describedBy: props.describedBy })}
          destination={props.destination}
          onKeyDown={(event) => !openByKey(event) && props.onKeyDown(event)}
          onPaste={(event: ClipboardEvent) => paste(event, uploads.add)}
          {...(props.onFocus && { onFocus: props.onFocus })}
          onDates={dialogs.openTime}
          {...(onWidget && { onWidget: openWidget })}
        />
        {wantsPreview && isPreviewable && <Preview text={text} />}
      </div>
      {uploads.items.length > 0 && (
        <AttachmentTray uploads={uploads} onAdd={chooseFiles} onChanged={() => field.current?.focus()} />
      )}
      <input
        ref={files}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          uploads.add([...(currentTarget.files ?? [])])
          currentTarget.value = ''
          field.current?.focus()
        }}
      />
      <div className={css.editorBar}>
        <PlusMenu
          field={find}
          onWidget={onWidget === undefined ? null : openWidget}
          onAttach={chooseFiles}
          onTime={openTime}
          onCall={startCall}
          onGif={openGifs}
          onSnippets={openSnippets}
        />
        {hasAllTools && <FormatBar field={find} />}
        <EmojiButton field={find} />
        {hasAllTools && (
          <span className={css.editorBarMore}>
            <span className={css.inMenu}>
              <GifButton onPress={openGifs} />
              <TimeButton onPress={openTime} />
              <CallButtons onCall={startCall} />
            </span>
            <ViewButtons
              isPreviewable={isPreviewable}
              isPreviewed={wantsPreview}
              onPreview={setWantsPreview}
              isExpanded={expansion?.isOn}
              onExpand={expansion?.onChange}
            />
          </span>
        )}
        {length > MAX_MESSAGE_LENGTH * 0.8 && (
          <span className={`${css.editorCount} soft small`}>
            {t('{count, number} of {max, plural, one {# character} other {# characters}}', {
              count: length,
              max: MAX_MESSAGE_LENGTH,
            })}
          </span>
        )}
        {length > MAX_MESSAGE_LENGTH && !uploads.isBusy && (
          <Button kind="quiet" onPress={uploads.addText}>
            {t('Attach the text as a file')}
          </Button>
        )}
        {children}
      </div>
      {dialogs.dialog}
    </>
  )
}

const TimeButton = memo(
  ({ onPress }: { onPress: () => void }): ReactNode => (
    <BarButton label={t('Date and time')} Icon={CalendarClock} onPress={onPress} />
  ),
)

const ViewButtons = memo(function ViewButtons(props: {
  isPreviewable: boolean
  isPreviewed: boolean
  onPreview: Toggle['onChange']
  isExpanded: boolean | undefined
  onExpand: Toggle['onChange'] | undefined
}): ReactNode {
  const { isPreviewable, isPreviewed, onPreview, isExpanded, onExpand } = props
  return (
    <>
      <BarButton
        label={isPreviewed ? t('Close preview') : t('Preview')}
        keys={t('Alt+P')}
        Icon={Eye}
        aria-pressed={isPreviewed}
        isDisabled={!isPreviewable}
        onPress={() => onPreview(!isPreviewed)}
      />
      {onExpand !== undefined && (
        <BarButton
          label={isExpanded ? t('Shrink') : t('Expand')}
          Icon={isExpanded ? Minimize2 : Maximize2}
          onPress={() => onExpand(!isExpanded)}
        />
      )}
    </>
  )
})
