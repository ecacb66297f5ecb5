import Ellipsis from 'lucide-react/icons/ellipsis'
import Pencil from 'lucide-react/icons/pencil'
import Reply from 'lucide-react/icons/reply'
import SmilePlus from 'lucide-react/icons/smile-plus'
import Star from 'lucide-react/icons/star'
import StarOff from 'lucide-react/icons/star-off'
import type { ReactNode, Ref } from 'react'
import { Toolbar } from 'react-aria-components/Toolbar'
import { EmojiGlyph } from '../../emoji/emoji-glyph.tsx'
import type { Message } from '../../messages/message.ts'
import { useOrganization } from '../../store/organization.ts'
import { shortcutLabel } from '../../store/shortcuts.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { currentMinute } from '../../ui/moments.ts'
import { actionLabel, type MessageAction, messageActions, shortcutOf } from './message-actions.ts'
import * as css from './message-tools.module.css'
import { recentReactions, THUMBS_UP, toggleReaction } from './react.ts'

const ICONS = { react: SmilePlus, reply: Reply, edit: Pencil, star: Star, unstar: StarOff } as const

type ToolProps = {
  message: Message
  /** True if all tools are shown. Touch screens have only the button of the menu. */
  isShown: boolean
  isMenuOpen: boolean
  more: Ref<HTMLButtonElement>
  onAct: (action: MessageAction) => void
  onMenu: () => void
}

/** The toolbar of the message that is pointed at or has the focus. */
export function MessageTools(props: ToolProps): ReactNode {
  const { message, isShown, isMenuOpen, more, onAct, onMenu } = props
  const label = t('Actions for message from {name}', { name: message.sender_full_name })
  return (
    <Toolbar className={css.messageTools} data-shown={isShown || undefined} aria-label={label}>
      {isShown && <Tools message={message} onAct={onAct} />}
      <Button
        ref={more}
        excludeFromTabOrder={!isShown}
        kind="quiet"
        aria-label={t('More actions for message from {name}', { name: message.sender_full_name })}
        data-keys={shortcutLabel('i')}
        aria-haspopup="menu"
        aria-expanded={isMenuOpen}
        icon={<Ellipsis className="icon" aria-hidden="true" />}
        onPress={onMenu}
      />
    </Toolbar>
  )
}

function Tools({ message, onAct }: Pick<ToolProps, 'message' | 'onAct'>): ReactNode {
  const organization = useOrganization()
  const isStarred = message.flags.includes('starred')
  const available = messageActions(organization, message, currentMinute.get()).flatMap((group) => group.actions)
  const actions = (['react', 'reply', 'edit', isStarred ? 'unstar' : 'star'] as const).filter((action) =>
    available.includes(action),
  )
  return (
    <>
      {actions.includes('react') && <QuickReactions message={message} />}
      {actions.map((action) => {
        const Icon = ICONS[action]
        return (
          <span key={action}>
            <Button
              kind="quiet"
              aria-label={actionLabel(action)}
              data-keys={shortcutOf(action)}
              icon={<Icon className="icon" aria-hidden="true" />}
              onPress={() => onAct(action)}
            />
          </span>
        )
      })}
    </>
  )
}

/** The number of reactions before the button of the picker. */
const QUICK = 3

/** Buttons for the reactions that the user added last. */
function QuickReactions({ message }: { message: Message }): ReactNode {
  const { user_id } = useOrganization('user_id')
  return recentReactions(user_id, QUICK).map((emoji) => {
    const label = t('React with {emoji}', { emoji: emoji.emoji_name.replaceAll('_', ' ') })
    return (
      <span key={emoji.emoji_code}>
        <Button
          kind="quiet"
          aria-label={label}
          {...(emoji.emoji_code === THUMBS_UP.emoji_code && { 'data-keys': shortcutLabel('+') })}
          icon={<EmojiGlyph emoji={emoji} />}
          onPress={() => void toggleReaction(message, emoji, user_id)}
        />
      </span>
    )
  })
}
