import type { ReactNode } from 'react'
import { MenuItem } from 'react-aria-components/Menu'
import type { Subscription } from '../../store/organization.ts'
import { MenuPopover } from '../../ui/menu.tsx'
import type { OpenMenu } from '../../ui/menu-button.tsx'

/** An open menu of channels. */
export function ChannelItems(
  props: OpenMenu & { channels: readonly Subscription[]; onChoose: (channelId: number) => void },
): ReactNode {
  const { channels, onChoose, ...menu } = props
  return (
    <MenuPopover {...menu} onAction={(id) => onChoose(Number(id))}>
      {channels.map(({ stream_id, name }) => (
        <MenuItem key={stream_id} id={stream_id} className="menu-item">
          {name}
        </MenuItem>
      ))}
    </MenuPopover>
  )
}
