import { type ClipboardEvent, type KeyboardEvent, type ReactNode, type RefObject, useId } from 'react'
import { t } from '../../text/t.ts'
import type { WidgetKind } from '../box/widget-text.ts'
import { SuggestionList } from '../completion/suggestion-list.tsx'
import { useCompletion } from '../completion/use-completion.ts'
import type { Destination } from '../destination.ts'
import { formatByKey } from './text-area.ts'
import '../../ui/field.css'
import * as css from '../composer.module.css'

/** The text of a message, with completion and the keys that format it. */
export function MessageField(props: {
  field: RefObject<HTMLTextAreaElement | null>
  label: string
  placeholder?: string
  text: string
  onText: (text: string) => void
  /** The error of the text. Screen readers read it with the field. */
  error?: string | null
  /** The id of an element that describes the field. */
  describedBy?: string
  /** The recipients, who come first in suggestions. */
  destination: Destination
  isDisabled?: boolean
  /** Handles keys that neither completion nor formatting takes. */
  onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => void
  onPaste?: (event: ClipboardEvent) => void
  onFocus?: () => void
  /** Opens the date picker. The chosen date replaces the text from this position to the cursor. */
  onDates: (from: number) => void
  /** Opens the dialog for a poll or to-do list. If omitted, the commands are only inserted. */
  onWidget?: (kind: WidgetKind) => void
}): ReactNode {
  const { field, label, placeholder, text, onText, error, describedBy, destination, onKeyDown, onDates } = props
  const errorId = useId()
  const completion = useCompletion({ field, text, destination, onDates, onWidget: props.onWidget })
  const { listbox, token } = completion

  return (
    <div className={css.messageField}>
      <textarea
        ref={field}
        name="text"
        className={css.messageText}
        dir="auto"
        rows={1}
        aria-label={label}
        aria-invalid={error ? true : undefined}
        aria-describedby={[error ? errorId : '', describedBy ?? ''].filter(Boolean).join(' ') || undefined}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={listbox.activeId === undefined ? undefined : listbox.id}
        aria-activedescendant={listbox.activeId}
        placeholder={placeholder}
        disabled={props.isDisabled}
        value={text}
        onChange={({ currentTarget }) => {
          onText(currentTarget.value)
          completion.update(currentTarget)
        }}
        onSelect={({ currentTarget }) => completion.follow(currentTarget)}
        onFocus={props.onFocus}
        onBlur={completion.close}
        onPaste={props.onPaste}
        onKeyDown={(event) => {
          if (!completion.onKeyDown(event) && !formatByKey(event)) onKeyDown(event)
        }}
      />
      {listbox.activeId !== undefined && token !== null && (
        <SuggestionList
          label={t('Suggestions')}
          field={field}
          from={token.from}
          listbox={listbox}
          onChoose={completion.choose}
          {...(token.kind === 'mention' && { hint: t('↑↓ choose   Tab or Enter insert   @_ silent') })}
          {...(token.kind === 'channel' && { hint: t('↑↓ choose   Tab or Enter insert   > topics') })}
        />
      )}
      {error && (
        <p id={errorId} className="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
