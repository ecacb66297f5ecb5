import { type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react'
import { t } from '../../../text/t.ts'
import { caretLeft } from '../editor/caret-left.ts'
import type { Suggestion } from './suggestion.ts'
import './suggestion-list.css'
import type { ListboxState } from './use-listbox.ts'

/** The room that the list needs above the field, in pixels. With less room, the list opens below the field. */
const ROOM = 220

/**
 * The list of suggestions. It is in the browser's top layer, above the box around the field. In a text area, its left
 * edge is at the character `from`. Pressing a row keeps the focus in the field.
 */
export function SuggestionList(props: {
  label: string
  field: RefObject<HTMLInputElement | HTMLTextAreaElement | null>
  from?: number
  listbox: ListboxState<Suggestion>
  onChoose: (suggestion: Suggestion) => void
  /** A line of hints below the list. */
  hint?: string
}): ReactNode {
  const { label, field, from, listbox, onChoose, hint = t('↑↓ choose   Tab or Enter insert   Esc close') } = props
  const popover = useRef<HTMLDivElement>(null)
  const { items, active } = listbox

  useLayoutEffect(() => {
    if (popover.current === null || field.current === null) return
    if (!popover.current.matches(':popover-open')) popover.current.showPopover()
    place(popover.current, field.current, from)
  }, [field, from, items])
  useLayoutEffect(() => {
    popover.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [active])

  return (
    <div ref={popover} popover="manual" className="suggestions" onPointerDown={(event) => event.preventDefault()}>
      <div role="listbox" id={listbox.id} aria-label={label} className="suggestions-list">
        {items.map((one, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
          <div
            key={one.key}
            id={listbox.optionId(index)}
            role="option"
            aria-selected={index === active}
            className="suggestion"
            onPointerMove={() => listbox.activate(index)}
            onClick={() => onChoose(one)}
          >
            {one.icon !== undefined && <span className="suggestion-icon">{one.icon}</span>}
            <span className="suggestion-label">{one.label}</span>
            {one.detail !== undefined && <span className="suggestion-detail">{one.detail}</span>}
          </div>
        ))}
      </div>
      <p className="suggestions-hint" aria-hidden="true">
        {hint}
      </p>
    </div>
  )
}

function place(list: HTMLElement, field: HTMLInputElement | HTMLTextAreaElement, from: number | undefined): void {
  const box = field.closest('[data-suggestions]') ?? field
  const { top, bottom } = box.getBoundingClientRect()
  const rect = field.getBoundingClientRect()
  const isArea = field instanceof HTMLTextAreaElement && from !== undefined
  const start = rect.left + (isArea ? caretLeft(field, from) : 0)
  const left = Math.max(8, Math.min(start, innerWidth - list.offsetWidth - 8))
  const isAbove = top > ROOM || top > innerHeight - bottom
  list.style.setProperty('left', `${left}px`)
  list.style.setProperty('top', isAbove ? 'auto' : `${bottom + 6}px`)
  list.style.setProperty('bottom', isAbove ? `${innerHeight - top + 6}px` : 'auto')
  list.style.setProperty('max-height', `${(isAbove ? top : innerHeight - bottom) - 16}px`)
}
