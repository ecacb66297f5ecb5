import { type ReactNode, type RefObject, useRef, useState } from 'react'
import { t } from '../../text/t.ts'
import { type Suggestion, SuggestionList, useListbox } from '../completion/suggestion-list.tsx'
import * as css from './recipients.module.css'

/** An inline field with suggestions. */
export function SuggestField<Item extends Suggestion>(props: {
  field?: RefObject<HTMLInputElement | null>
  label: string
  name: string
  value: string
  /** True if the user has typed the value. Otherwise, the value is chosen, and Tab keeps it. */
  isTyped: boolean
  /** The key of the chosen suggestion. */
  currentKey?: string | undefined
  placeholder: string
  isInvalid: boolean
  /**
   * True if the value may be new. Typed text then stays, unless the user chooses a suggestion with the arrow keys or the
   * mouse.
   */
  isFree?: boolean
  /** Returns the suggestions for typed text. */
  suggest: (text: string) => readonly Item[]
  onText: (text: string) => void
  onChoose: (item: Item) => void
  onFocus?: () => void
  onBlur?: () => void
  /** Handles Backspace in the empty field. */
  onBack?: () => void
  /** Handles Enter if no suggestion is chosen. */
  onEnter?: () => void
  /** A text that is shown if nothing matches the typed text. */
  noMatches?: string
}): ReactNode {
  const { label, name, value, isTyped, placeholder, isFree = false, suggest, onText, onChoose } = props
  const own = useRef<HTMLInputElement>(null)
  const field = props.field ?? own
  const [isOpen, setOpen] = useState(false)
  /** True after the user has moved in the list with the arrow keys. */
  const [hasMoved, setMoved] = useState(false)
  const items = isOpen ? suggest(value) : []

  function close() {
    setOpen(false)
    setMoved(false)
  }

  function choose(suggestion: Suggestion) {
    const item = items.find(({ key }) => key === suggestion.key)
    close()
    if (item !== undefined) onChoose(item)
  }

  const first = isTyped && !isFree ? 0 : items.findIndex(({ key }) => key === props.currentKey)
  const listbox = useListbox<Suggestion>({ items, query: value, first, onChoose: choose, onClose: close })

  return (
    <>
      <input
        ref={field}
        className={css.recipientField}
        name={name}
        dir="auto"
        role="combobox"
        autoComplete="off"
        aria-label={label}
        aria-invalid={props.isInvalid || undefined}
        aria-autocomplete="list"
        aria-expanded={items.length > 0}
        aria-controls={items.length > 0 ? listbox.id : undefined}
        aria-activedescendant={listbox.activeId}
        placeholder={placeholder}
        value={value}
        onChange={({ currentTarget }) => {
          onText(currentTarget.value)
          setOpen(true)
          setMoved(false)
        }}
        onFocus={({ currentTarget }) => {
          currentTarget.select()
          props.onFocus?.()
        }}
        onClick={() => setOpen(true)}
        onBlur={() => {
          close()
          props.onBlur?.()
        }}
        onKeyDown={(event) => {
          if (event.key === 'Backspace' && value === '') props.onBack?.()
          if (event.key === 'ArrowDown' && !isOpen) {
            event.preventDefault()
            return setOpen(true)
          }
          if (event.key === 'Tab' && (isFree || !isTyped) && !hasMoved) return
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') setMoved(true)
          const keepsText = isFree && !hasMoved && event.key === 'Enter'
          if ((!keepsText && listbox.onKeyDown(event)) || event.key !== 'Enter' || event.nativeEvent.isComposing) return
          event.preventDefault()
          props.onEnter?.()
        }}
      />
      {props.noMatches !== undefined && (
        <span role="status" className={css.recipientNone}>
          {isOpen && items.length === 0 && value.trim() !== '' && props.noMatches}
        </span>
      )}
      {items.length > 0 && (
        <SuggestionList
          label={label}
          field={field}
          listbox={listbox}
          onChoose={choose}
          {...(!hasMoved && isFree && { hint: t('↑↓ choose   Tab or Enter keep your text   Esc close') })}
          {...(!hasMoved && !isFree && !isTyped && { hint: t('↑↓ choose   Enter insert   Esc close') })}
        />
      )}
    </>
  )
}
