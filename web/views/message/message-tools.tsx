import CodeXml from 'lucide-react/icons/code-xml'
import Ellipsis from 'lucide-react/icons/ellipsis'
import SmilePlus from 'lucide-react/icons/smile-plus'
import TextQuote from 'lucide-react/icons/text-quote'
import type { ReactNode, Ref } from 'react'
import { Toolbar } from 'react-aria-components/Toolbar'
import type { Message } from '../../store/messages/message.ts'
import { useOrganization } from '../../store/organization.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { actionLabel, type MessageAction } from './message-actions.ts'
import './message-tools.css'
import { t } from '../../text/t.ts'
import { isConversationOpen } from './rights.ts'

const ICONS = { react: SmilePlus, quote: TextQuote, source: CodeXml } as const

/** The toolbar of a message. The menu button is always there, the others while the toolbar is shown. */
export function MessageTools(props: {
  message: Message
  isShown: boolean
  isMenuOpen: boolean
  more: Ref<HTMLButtonElement>
  onAct: (action: MessageAction) => void
  onMenu: () => void
}): ReactNode {
  const { message, isShown, isMenuOpen, more, onAct, onMenu } = props
  const canChange = isConversationOpen(useOrganization(), message)
  const actions = (['react', 'quote', 'source'] as const).filter((run) => canChange || run === 'source')
  const label = t('Actions for message from {name}', { name: message.sender_full_name })
  return (
    <Toolbar className="message-tools" data-shown={isShown || undefined} aria-label={label}>
      {isShown &&
        actions.map((perform) => {
          const Icon = ICONS[perform]
          return (
            <span key={perform} className="message-tool" title={actionLabel(perform)}>
              <Button
                kind="quiet"
                aria-label={actionLabel(perform)}
                icon={<Icon className="icon" aria-hidden="true" />}
                onPress={() => onAct(perform)}
              />
            </span>
          )
        })}
      <span title={t('More')}>
        <Button
          ref={more}
          excludeFromTabOrder={!isShown}
          kind="quiet"
          aria-label={t('More actions for message from {name}', { name: message.sender_full_name })}
          aria-haspopup="menu"
          aria-expanded={isMenuOpen}
          icon={<Ellipsis className="icon" aria-hidden="true" />}
          onPress={onMenu}
        />
      </span>
    </Toolbar>
  )
}
