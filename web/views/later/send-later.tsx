import ChevronDown from 'lucide-react/icons/chevron-down'
import { type ReactNode, useState } from 'react'
import { Menu, MenuItem, MenuTrigger } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import { Separator } from 'react-aria-components/Separator'
import { Button } from '../../ui/buttons/button.tsx'
import '../../ui/layout/popover.css'
import { t } from '../../text/t.ts'
import { absoluteTime } from '../../ui/text/time.tsx'
import { ScheduleDialog } from './schedule-dialog.tsx'
import { scheduleOptions } from './schedule-options.ts'

/** The menu to schedule the message. */
export function SendLater({
  isDisabled,
  onChoose,
}: {
  isDisabled: boolean
  onChoose: (at: number) => void
}): ReactNode {
  const [isAsking, setIsAsking] = useState(false)
  return (
    <>
      <MenuTrigger>
        <span title={t('Send later')}>
          <Button
            kind="primary"
            aria-label={t('Send later')}
            isDisabled={isDisabled}
            icon={<ChevronDown className="icon" aria-hidden="true" />}
          />
        </span>
        <Popover className="popover" placement="top end">
          <Menu className="menu">
            {scheduleOptions(Date.now() / 1000).map(({ name, at }) => (
              <MenuItem key={name} id={name} className="menu-item" textValue={name} onAction={() => onChoose(at)}>
                <span>{name}</span>
                <span className="soft small">{absoluteTime(at)}</span>
              </MenuItem>
            ))}
            <Separator className="menu-separator" />
            <MenuItem className="menu-item" onAction={() => setIsAsking(true)}>
              {t('Custom time…')}
            </MenuItem>
          </Menu>
        </Popover>
      </MenuTrigger>
      {isAsking && <ScheduleDialog onChoose={onChoose} onClose={() => setIsAsking(false)} />}
    </>
  )
}
