import { Fragment, type ReactNode, type RefObject } from 'react'
import { Menu, MenuItem, MenuSection } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import { Separator } from 'react-aria-components/Separator'
import { Text } from 'react-aria-components/Text'
import type { Message } from '../../store/messages/message.ts'
import { useOrganization } from '../../store/organization.ts'
import { useMedia } from '../../ui/layout/use-media.ts'
import { ShortcutKey } from '../../ui/text/shortcut-key.tsx'
import { useMinute } from '../../ui/time/time.tsx'
import '../../ui/layout/popover.css'
import { t } from '../../text/t.ts'
import { actionLabel, type MessageAction, messageActions, shortcutOf } from './message-actions.ts'

/** The menu of a message, with its actions in groups. Phones show it as a sheet. */
export function MessageMenu(props: {
  message: Message
  trigger: RefObject<HTMLElement | null>
  onAct: (action: MessageAction) => void
  onClose: () => void
}): ReactNode {
  const { message, trigger, onAct, onClose } = props
  const isSheet = useMedia('(pointer: coarse) and (max-width: 45rem)')
  const groups = messageActions(useOrganization(), message, useMinute())
  const label = t('Actions for message from {name}', { name: message.sender_full_name })
  return (
    <Popover
      className={isSheet ? 'popover message-menu message-sheet popover-sheet' : 'popover message-menu'}
      aria-label={label}
      triggerRef={trigger}
      placement="bottom end"
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      <Menu className="menu" aria-label={label} autoFocus="first" onClose={onClose}>
        {groups.map(({ name, actions }, at) => (
          <Fragment key={name}>
            {at > 0 && <Separator className="menu-separator" />}
            <MenuSection aria-label={name}>
              {actions.map((run) => (
                <MenuItem
                  key={run}
                  id={run}
                  className={run === 'delete' ? 'menu-item danger' : 'menu-item'}
                  textValue={actionLabel(run)}
                  onAction={() => onAct(run)}
                >
                  <Text slot="label">{actionLabel(run)}</Text>
                  {shortcutOf(run) !== null && <ShortcutKey name={shortcutOf(run)!} />}
                </MenuItem>
              ))}
            </MenuSection>
          </Fragment>
        ))}
      </Menu>
    </Popover>
  )
}
