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
  useState,
} from 'react'
import { t } from '../../../text/t.ts'
import { lazyExtra } from '../../../ui/lazy-part.tsx'
import { useStableCallbacks } from '../../../ui/use-stable-callbacks.ts'
import { BarButton } from '../bar/bar-button.tsx'
import { EmojiButton } from '../bar/emoji-button.tsx'
import '../bar/composer-bar.css'
import { PlusMenu } from '../bar/plus-menu.tsx'
import { useInsertDialogs } from '../bar/use-insert-dialogs.tsx'
import type { Destination } from '../destination.ts'
import { lengthOf, MAX_LENGTH } from '../message-text.ts'
import { paste } from '../pasting/paste.ts'
import { Preview } from '../preview.tsx'
import { UploadList } from '../uploads/upload-list.tsx'
import type { Uploads } from '../uploads/use-uploads.ts'
import { MessageField } from './message-field.tsx'

const CallButtons = memo(lazyExtra(async () => (await import('../bar/call-buttons.tsx')).CallButtons))
const FormatBar = memo(lazyExtra(async () => (await import('../bar/format-bar.tsx')).FormatBar))

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
  /** True if polls and to-do lists are offered. Only new messages can contain them. */
  hasWidgets?: boolean
  /** False for a closed editor, which shows only the buttons that insert something. */
  hasAllTools?: boolean
  /** The button that expands the editor to the full height; omitted if the editor can't be expanded. */
  expansion?: Toggle
  onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => void
  onFocus?: () => void
  children: ReactNode
}): ReactNode {
  const { field, text, onText, error, uploads, hasWidgets = false, hasAllTools = true, expansion, children } = props
  const dialogs = useInsertDialogs(() => field.current)
  // The callbacks never change, so that typing does not render the buttons again.
  const { find, addFiles, openTime, openSnippets } = useStableCallbacks({
    find: () => field.current,
    addFiles: uploads.add,
    openTime: () => dialogs.openTime(),
    openSnippets: dialogs.openSnippets,
  })
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
      <div className="editor-text" data-previewed={wantsPreview || undefined}>
        <MessageField
          field={field}
          label={props.label}
          {...(props.placeholder !== undefined && { placeholder: props.placeholder })}
          text={text}
          onText={onText}
          error={error}
          {...(props.describedBy !== undefined && { describedBy: props.describedBy })}
          destination={props.destination}
          onKeyDown={(event) => !openByKey(event) && props.onKeyDown(event)}
          onPaste={(event: ClipboardEvent) => paste(event, uploads.add)}
          {...(props.onFocus && { onFocus: props.onFocus })}
          onDates={dialogs.openTime}
        />
        {wantsPreview && isPreviewable && <Preview text={text} />}
      </div>
      <UploadList uploads={uploads} />
      <div className="editor-bar">
        <PlusMenu field={find} hasWidgets={hasWidgets} onFiles={addFiles} onTime={openTime} onSnippets={openSnippets} />
        {hasAllTools && <FormatBar field={find} />}
        <EmojiButton field={find} />
        {hasAllTools && (
          <span className="editor-bar-more">
            <span className="in-menu">
              <TimeButton onPress={openTime} />
              <CallButtons field={find} />
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
        {length > MAX_LENGTH * 0.8 && (
          <span className="editor-count soft small">
            {t('{count} of {max, plural, one {# character} other {# characters}}', { count: length, max: MAX_LENGTH })}
          </span>
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
