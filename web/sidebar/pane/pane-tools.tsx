import { useNavigate } from '@tanstack/react-router'
import X from 'lucide-react/icons/x'
import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { MenuItem } from 'react-aria-components/Menu'
import { useRequestedFilter } from '../../browser/overlays.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { MenuPopover } from '../../ui/menu.tsx'
import type { OpenMenu } from '../../ui/menu-button.tsx'
import * as css from './conversation-pane.module.css'

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
    <search ref={filter} className={css.paneFilter} aria-label={t('Channels')}>
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

/** The open menu for browsing and creating channels. */
export function ChannelToolItems({ mayCreate, ...menu }: OpenMenu & { mayCreate: boolean }): ReactNode {
  const navigate = useNavigate()
  return (
    <MenuPopover {...menu}>
      <MenuItem className="menu-item" onAction={() => void navigate({ to: '/channels' })}>
        {t('Browse channels')}
      </MenuItem>
      {mayCreate && (
        <MenuItem className="menu-item" onAction={() => void navigate({ to: '/channels/new' })}>
          {t('Create channel')}
        </MenuItem>
      )}
    </MenuPopover>
  )
}
