import type { ReactNode } from 'react'
import { MenuItem } from 'react-aria-components/Menu'
import { Separator } from 'react-aria-components/Separator'
import { t } from '../text/t.ts'
import { MenuPopover } from '../ui/menu.tsx'
import type { OpenMenu } from '../ui/menu-button.tsx'
import { timeFormat } from '../ui/moments.ts'
import { type ScheduleOption, scheduleOptions } from './time-options.ts'

const shortTime = timeFormat({ weekday: 'short', hour: 'numeric', minute: '2-digit' })

/** The open menu of times to send a message. */
export function TimeItems(
  props: OpenMenu & {
    /** The times to offer; those for sending a message later if omitted. */
    options?: readonly ScheduleOption[]
    onChoose: (at: number) => void
    onOther: () => void
  },
): ReactNode {
  const { options = scheduleOptions(Date.now() / 1000), onChoose, onOther, ...menu } = props
  return (
    <MenuPopover {...menu}>
      {options.map(({ name, at }) => (
        <MenuItem key={name} id={name} className="menu-item" textValue={name} onAction={() => onChoose(at)}>
          <span>{name}</span>
          <span className="soft small">{shortTime().format(at * 1000)}</span>
        </MenuItem>
      ))}
      <Separator className="menu-separator" />
      <MenuItem className="menu-item" onAction={onOther}>
        {t('Custom time…')}
      </MenuItem>
    </MenuPopover>
  )
}
