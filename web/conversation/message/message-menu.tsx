import AlarmClock from 'lucide-react/icons/alarm-clock'
import ChevronsDownUp from 'lucide-react/icons/chevrons-down-up'
import ChevronsUpDown from 'lucide-react/icons/chevrons-up-down'
import CodeXml from 'lucide-react/icons/code-xml'
import Copy from 'lucide-react/icons/copy'
import Ellipsis from 'lucide-react/icons/ellipsis'
import Eye from 'lucide-react/icons/eye'
import FileCode from 'lucide-react/icons/file-code'
import FolderInput from 'lucide-react/icons/folder-input'
import Forward from 'lucide-react/icons/forward'
import History from 'lucide-react/icons/history'
import Link from 'lucide-react/icons/link'
import MailOpen from 'lucide-react/icons/mail-open'
import Pencil from 'lucide-react/icons/pencil'
import Quote from 'lucide-react/icons/quote'
import Reply from 'lucide-react/icons/reply'
import Smile from 'lucide-react/icons/smile'
import SmilePlus from 'lucide-react/icons/smile-plus'
import Star from 'lucide-react/icons/star'
import StarOff from 'lucide-react/icons/star-off'
import Trash from 'lucide-react/icons/trash-2'
import { type ComponentType, Fragment, type ReactNode, type RefObject, type SVGProps, useState } from 'react'
import { Menu, MenuItem, MenuSection } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import { Separator } from 'react-aria-components/Separator'
import { Text } from 'react-aria-components/Text'
import { createPortal } from 'react-dom'
import type { Message } from '../../messages/message.ts'
import { useOrganization } from '../../store/organization.ts'
import { SheetHandle } from '../../ui/card-popover.tsx'
import { useCloseWhenHidden } from '../../ui/is-shown.ts'
import { ShortcutKey } from '../../ui/menu.tsx'
import { useMinute } from '../../ui/moments.ts'
import { PHONE, TOUCH, useMedia } from '../../ui/use-media.ts'
import '../../ui/popover.css'
import { keyOfEmoji, readableName } from '../../emoji/emoji.ts'
import { EmojiGlyph } from '../../emoji/emoji-glyph.tsx'
import { t } from '../../text/t.ts'
import { actionLabel, type MessageAction, messageActions, shortcutOf } from './message-actions.ts'
import * as css from './message-tools.module.css'
import { recentReactions, toggleReaction } from './react.ts'

const ICONS: Readonly<Record<MessageAction, ComponentType<SVGProps<SVGSVGElement>>>> = {
  react: SmilePlus,
  reply: Reply,
  quote: Quote,
  forward: Forward,
  edit: Pencil,
  move: FolderInput,
  delete: Trash,
  'copy-link': Link,
  'copy-text': Copy,
  remind: AlarmClock,
  unread: MailOpen,
  star: Star,
  unstar: StarOff,
  reactions: Smile,
  readers: Eye,
  history: History,
  collapse: ChevronsDownUp,
  expand: ChevronsUpDown,
  source: CodeXml,
  'copy-markdown': FileCode,
}

/**
 * The menu of a message, with its actions in groups. On touch screens, which show no toolbar, it begins with a row of
 * reactions. Phones show it as a sheet below the message.
 */
export function MessageMenu(props: {
  message: Message
  trigger: RefObject<HTMLElement | null>
  onAct: (action: MessageAction) => void
  onClose: () => void
}): ReactNode {
  const { message, trigger, onAct, onClose } = props
  const isTouch = useMedia(TOUCH)
  const isSheet = useMedia(PHONE) && isTouch
  const [showsMore, showMore] = useState(false)
  useCloseWhenHidden(onClose)
  const groups = messageActions(useOrganization(), message, useMinute())
  const isReactable = groups.some(({ actions }) => actions.includes('react'))
  const label = t('Actions for message from {name}', { name: message.sender_full_name })
  return (
    <>
      {isSheet && <Spotlight row={trigger.current?.closest('[data-message]') ?? null} />}
      <Popover
        className={
          isSheet ? `popover ${css.messageMenu} ${css.messageSheet} popover-sheet` : `popover ${css.messageMenu}`
        }
        aria-label={label}
        triggerRef={trigger}
        placement="bottom end"
        isOpen
        onOpenChange={(isOpen) => !isOpen && onClose()}
      >
        {isSheet && <SheetHandle onClose={onClose} />}
        <Menu className="menu" aria-label={label} autoFocus="first" onClose={onClose}>
          {isTouch && isReactable && <QuickReactions message={message} onAct={onAct} />}
          {groups.map(({ name, isMore, actions }, at) => (
            <Fragment key={name}>
              {(at > 0 || (isTouch && isReactable)) && <Separator className="menu-separator" />}
              <MenuSection aria-label={name}>
                {isMore && !showsMore ? (
                  <MenuItem
                    id="more"
                    className="menu-item menu-item-icon"
                    textValue={name}
                    shouldCloseOnSelect={false}
                    onAction={() => showMore(true)}
                  >
                    <Ellipsis className="icon" aria-hidden="true" />
                    <Text slot="label">{name}</Text>
                  </MenuItem>
                ) : (
                  // The toolbar or the row of reactions has the picker.
                  actions
                    .filter((action) => action !== 'react')
                    .map((action) => <ActionItem key={action} action={action} onAct={onAct} />)
                )}
              </MenuSection>
            </Fragment>
          ))}
        </Menu>
      </Popover>
    </>
  )
}

function ActionItem({ action, onAct }: { action: MessageAction; onAct: (action: MessageAction) => void }): ReactNode {
  const Icon = ICONS[action]
  const keys = shortcutOf(action)
  return (
    <MenuItem
      id={action}
      className={`menu-item menu-item-icon${action === 'delete' ? ' danger' : ''}`}
      textValue={actionLabel(action)}
      onAction={() => onAct(action)}
    >
      <Icon className="icon" aria-hidden="true" />
      <Text slot="label">{actionLabel(action)}</Text>
      {keys !== undefined && <ShortcutKey name={keys} />}
    </MenuItem>
  )
}

/** The number of reactions before the button of the picker. */
const QUICK = 5

function QuickReactions({ message, onAct }: { message: Message; onAct: (action: MessageAction) => void }): ReactNode {
  const { user_id } = useOrganization('user_id')
  return (
    <MenuSection className={css.menuReactions} aria-label={actionLabel('react')}>
      {recentReactions(user_id, QUICK).map((emoji) => (
        <MenuItem
          key={keyOfEmoji(emoji)}
          id={keyOfEmoji(emoji)}
          className={css.menuReaction}
          aria-label={t('React with {emoji}', { emoji: readableName(emoji.emoji_name) })}
          textValue={readableName(emoji.emoji_name)}
          onAction={() => void toggleReaction(message, emoji, user_id)}
        >
          <EmojiGlyph emoji={emoji} />
        </MenuItem>
      ))}
      <MenuItem
        id="react"
        className={css.menuReaction}
        aria-label={actionLabel('react')}
        textValue={actionLabel('react')}
        onAction={() => onAct('react')}
      >
        <SmilePlus className="icon" aria-hidden="true" />
      </MenuItem>
    </MenuSection>
  )
}

/** Darkens the window around the row of the message that the sheet is about. */
function Spotlight({ row }: { row: Element | null }): ReactNode {
  if (row === null) return null
  const box = row.getBoundingClientRect()
  const edges = (row.closest('.timeline') ?? row).getBoundingClientRect()
  const [top, bottom] = [Math.max(box.top, edges.top), Math.min(box.bottom, edges.bottom)]
  const style = { left: box.left, top, width: box.width, height: Math.max(0, bottom - top) }
  return createPortal(<div className={css.messageSpotlight} style={style} />, document.body)
}
