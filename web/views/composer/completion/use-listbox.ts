import { type KeyboardEvent, useEffect, useId, useState } from 'react'

export type ListboxState<Item> = {
  readonly id: string
  readonly items: readonly Item[]
  readonly active: number
  /** The id of the active option; undefined if the list is closed. */
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
  /** The text that the list completes. When it changes, the first item becomes active again. */
  query: string
  onChoose: (item: Item) => void
  onClose: () => void
}): ListboxState<Item> {
  const { items, query, onChoose, onClose } = props
  const id = useId()
  const [active, activate] = useState(0)
  useEffect(() => activate(0), [query])
  const index = Math.min(active, items.length - 1)
  const optionId = (at: number) => `${id}-${at}`

  function onKeyDown(event: KeyboardEvent): boolean {
    if (items.length === 0 || event.nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.altKey)
      return false
    const move = (by: number) => activate((index + by + items.length) % items.length)
    if (event.key === 'ArrowDown') move(1)
    else if (event.key === 'ArrowUp') move(-1)
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) onChoose(items[index]!)
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
    activeId: items.length === 0 ? undefined : optionId(index),
    activate,
    optionId,
    onKeyDown,
  }
}
