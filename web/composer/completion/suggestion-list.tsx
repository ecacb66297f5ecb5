import Archive from 'lucide-react/icons/archive'
import Globe from 'lucide-react/icons/globe'
import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { Channel } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import type { WidgetKind } from '../box/widget-text.ts'
import * as css from './suggestion-list.module.css'

/** An entry of a completion list. */
export type Suggestion = {
  readonly key: string
  readonly label: string
  /** A short text at the end of the row. */
  readonly detail?: string
  readonly icon?: ReactNode
  /** The text that replaces the token; omitted if choosing the suggestion does something else. */
  readonly insert?: string
  /** The text that replaces the token when the user presses `>` to continue with a topic. */
  readonly continued?: string
  /** True if choosing the suggestion opens the date picker instead of inserting text. */
  readonly opensDates?: boolean
  /** The dialog that choosing the suggestion opens, if the editor has it; otherwise `insert` is inserted. */
  readonly opensWidget?: WidgetKind
}

export type ListboxState<Item> = {
  readonly id: string
  readonly items: readonly Item[]
  /** The index of the active option; -1 if there is none. */
  readonly active: number
  /** The id of the active option; undefined if there is none. */
  readonly activeId: string | undefined
  readonly activate: (index: number) => void
  readonly optionId: (index: number) => string
  /** Handles a key that is pressed in the field of the list. Returns true if it handled the key. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean
}

/**
 * Handles the keyboard of a list that completes a field: arrows move, Enter and Tab choose, Escape closes. The focus
 * stays in the field, which names the active option by `aria-activedescendant`.
 */
export function useListbox<Item>(props: {
  items: readonly Item[]
  /** The text that the list completes. When it changes, or when the list opens, the item at `first` becomes active. */
  query: string
  /** The index of the item that is active at first; -1 for none. */
  first?: number
  onChoose: (item: Item) => void
  onClose: () => void
}): ListboxState<Item> {
  const { items, query, first = 0, onChoose, onClose } = props
  const id = useId()
  const [moved, activate] = useState<number | null>(null)
  const isOpen = items.length > 0
  useEffect(() => activate(null), [query, isOpen])
  const index = Math.min(moved ?? first, items.length - 1)
  const optionId = (at: number) => `${id}-${at}`

  function onKeyDown(event: KeyboardEvent): boolean {
    if (!isOpen || event.nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false
    const current = items[index]
    if (event.key === 'ArrowDown') activate((index + 1) % items.length)
    else if (event.key === 'ArrowUp') activate((Math.max(index, 0) + items.length - 1) % items.length)
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey && current !== undefined)
      onChoose(current)
    else if (event.key === 'Escape') onClose()
    else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }

  return {
    id,
    items,
    active: index,
    activeId: index === -1 ? undefined : optionId(index),
    activate,
    optionId,
    onKeyDown,
  }
}

/** The properties that decide where a text area breaks its lines. */
const COPIED = [
  ...['box-sizing', 'width', 'padding-left', 'padding-right', 'border-left-width', 'border-right-width'],
  ...[
    'font-family',
    'font-size',
    'font-weight',
    'font-style',
    'letter-spacing',
    'line-height',
    'tab-size',
    'direction',
  ],
]

/** Returns the distance in pixels from the left edge of a text area to the character at a position. */
function caretLeft(area: HTMLTextAreaElement, position: number): number {
  const mirror = document.createElement('div')
  const style = getComputedStyle(area)
  for (const name of COPIED) mirror.style.setProperty(name, style.getPropertyValue(name))
  for (const [name, value] of [
    ['position', 'fixed'],
    ['visibility', 'hidden'],
    ['white-space', 'pre-wrap'],
    ['overflow-wrap', 'break-word'],
  ] as const)
    mirror.style.setProperty(name, value)
  mirror.append(area.value.slice(0, position))
  const mark = document.createElement('span')
  mark.append(area.value.slice(position) || '.')
  mirror.append(mark)
  document.body.append(mirror)
  const left = (mark.getClientRects()[0]?.left ?? 0) - mirror.getBoundingClientRect().left
  mirror.remove()
  return left
}

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
    <div ref={popover} popover="manual" className={css.suggestions} onPointerDown={(event) => event.preventDefault()}>
      <div role="listbox" id={listbox.id} aria-label={label} className={css.suggestionsList}>
        {items.map((one, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
          <div
            key={one.key}
            id={listbox.optionId(index)}
            role="option"
            aria-selected={index === active}
            className={css.suggestion}
            onPointerMove={() => listbox.activate(index)}
            onClick={() => onChoose(one)}
          >
            {one.icon !== undefined && <span className={css.suggestionIcon}>{one.icon}</span>}
            <span className={css.suggestionLabel}>{one.label}</span>
            {one.detail !== undefined && <span className={css.suggestionDetail}>{one.detail}</span>}
          </div>
        ))}
      </div>
      <p className={css.suggestionsHint} aria-hidden="true">
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

type Shown = Pick<Channel, 'invite_only' | 'is_web_public' | 'is_archived'>

/** The icon of a channel, which shows its privacy. */
export function ChannelSign({ channel }: { channel: Shown }): ReactNode {
  const Icon = channel.is_archived ? Archive : channel.invite_only ? Lock : channel.is_web_public ? Globe : Hash
  return <Icon className="icon" aria-hidden="true" />
}
