import CodeXml from 'lucide-react/icons/code-xml'
import Ellipsis from 'lucide-react/icons/ellipsis'
import SmilePlus from 'lucide-react/icons/smile-plus'
import TextQuote from 'lucide-react/icons/text-quote'
import type { ReactNode, Ref } from 'react'
import { Toolbar } from 'react-aria-components/Toolbar'
import type { Message } from '../../store/messages/message.ts'
import { useOrganization } from '../../store/organization.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { type Act, labelOf } from './acts.ts'
import './message-tools.css'
import { mayChange } from './rights.ts'

const ICONS = { react: SmilePlus, quote: TextQuote, source: CodeXml } as const

/** The tools at the corner of a message; the way to its menu is always there, the others while they are shown. */
export function MessageTools(props: {
  message: Message
  isShown: boolean
  isMenuOpen: boolean
  more: Ref<HTMLButtonElement>
  onAct: (act: Act) => void
  onMenu: () => void
}): ReactNode {
  const { message, isShown, isMenuOpen, more, onAct, onMenu } = props
  const canChange = mayChange(useOrganization(), message)
  const acts = (['react', 'quote', 'source'] as const).filter((act) => canChange || act === 'source')
  const label = `Actions on the message of ${message.sender_full_name}`
  return (
    <Toolbar className="message-tools" data-shown={isShown || undefined} aria-label={label}>
      {isShown &&
        acts.map((act) => {
          const Icon = ICONS[act]
          return (
            <span key={act} className="message-tool" title={labelOf(act)}>
              <Button
                kind="quiet"
                aria-label={labelOf(act)}
                icon={<Icon className="icon" aria-hidden="true" />}
                onPress={() => onAct(act)}
              />
            </span>
          )
        })}
      <span title="More">
        <Button
          ref={more}
          excludeFromTabOrder={!isShown}
          kind="quiet"
          aria-label={`More actions on the message of ${message.sender_full_name}`}
          aria-haspopup="menu"
          aria-expanded={isMenuOpen}
          icon={<Ellipsis className="icon" aria-hidden="true" />}
          onPress={onMenu}
        />
      </span>
    </Toolbar>
  )
}
