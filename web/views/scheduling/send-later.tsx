import ChevronDown from 'lucide-react/icons/chevron-down'
import { type ReactNode, useState } from 'react'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { MenuButton } from '../../ui/menu/menu-button.tsx'

const TimeItems = lazyPart(async () => (await import('./time-items.tsx')).TimeItems)
const ScheduleDialog = lazyPart(async () => (await import('./schedule-dialog.tsx')).ScheduleDialog)

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
      <MenuButton
        placement="top end"
        load={TimeItems.load}
        button={(props) => (
          <span>
            <Button
              {...props}
              kind="primary"
              aria-label={t('Send later')}
              isDisabled={isDisabled}
              icon={<ChevronDown className="icon" aria-hidden="true" />}
            />
          </span>
        )}
      >
        {(menu) => <TimeItems {...menu} onChoose={onChoose} onOther={() => setIsAsking(true)} />}
      </MenuButton>
      {isAsking && <ScheduleDialog onChoose={onChoose} onClose={() => setIsAsking(false)} />}
    </>
  )
}
