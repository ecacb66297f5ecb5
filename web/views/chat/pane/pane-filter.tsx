import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { useRequestedFilter } from '../../../store/page/requested-filter.ts'
import { t } from '../../../text/t.ts'
import { TextField } from '../../../ui/fields/field.tsx'

/** Filters the pane by name. Enter opens the first match, an arrow key moves to it. */
export function PaneFilter({ text, onText }: { text: string; onText: (text: string) => void }): ReactNode {
  const filter = useRef<HTMLElement>(null)
  useRequestedFilter('channels', filter)
  function onKey({ key, nativeEvent }: KeyboardEvent) {
    if (nativeEvent.isComposing) return
    const first = filter.current?.parentElement?.querySelector<HTMLElement>('li .pane-link')
    if (key === 'ArrowDown') first?.focus()
    if (key !== 'Enter' || text.trim() === '') return
    onText('')
    first?.click()
  }
  return (
    <search ref={filter} aria-label={t('Channels')}>
      <TextField
        label={t('Filter channels')}
        type="search"
        placeholder={t('Name')}
        autoComplete="off"
        value={text}
        onChange={onText}
        onKeyDown={onKey}
      />
    </search>
  )
}
