import { type KeyboardEvent, useEffect, useId, useState } from 'react'

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
