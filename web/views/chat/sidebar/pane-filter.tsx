import X from 'lucide-react/icons/x'
import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { useRequestedFilter } from '../../../store/page/requested-filter.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { TextField } from '../../../ui/fields/field.tsx'

/**
 * Filters the pane by name. Enter opens the first match, and the down arrow moves the focus to it. Escape in the empty
 * field closes the field.
 */
export function PaneFilter(props: { text: string; onText: (text: string) => void; onClose: () => void }): ReactNode {
  const { text, onText, onClose } = props
  const filter = useRef<HTMLElement>(null)
  useRequestedFilter('channels', filter)
  function onKey({ key, nativeEvent }: KeyboardEvent) {
    if (nativeEvent.isComposing) return
    const first = filter.current?.parentElement?.querySelector<HTMLElement>('li .pane-link')
    if (key === 'ArrowDown') first?.focus()
    if (key === 'Escape' && text === '') onClose()
    if (key !== 'Enter' || text.trim() === '') return
    onClose()
    first?.click()
  }
  return (
    <search ref={filter} className="pane-filter" aria-label={t('Channels')}>
      <TextField
        label={t('Filter channels')}
        type="search"
        placeholder={t('Filter channels')}
        autoComplete="off"
        value={text}
        onChange={onText}
        onKeyDown={onKey}
      />
      <Button
        kind="quiet"
        aria-label={t('Close filter')}
        icon={<X className="icon" aria-hidden="true" />}
        onPress={onClose}
      />
    </search>
  )
}
