import { Link } from '@tanstack/react-router'
import AtSign from 'lucide-react/icons/at-sign'
import CircleUser from 'lucide-react/icons/circle-user'
import MessageSquare from 'lucide-react/icons/message-square'
import Pencil from 'lucide-react/icons/pencil'
import Smile from 'lucide-react/icons/smile'
import { type ReactNode, useEffect, useState } from 'react'
import { type Person, useOwnId, usePerson } from '../../../store/organization.ts'
import { canInsert, requestInsertion } from '../../../store/page/insert-request.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { CardPopover } from '../../../ui/card/card-popover.tsx'
import { lazyPart } from '../../../ui/lazy-part.tsx'
import { avatarColor } from '../../../ui/people/avatar.tsx'
import { RowMenu } from '../../../ui/table/row-menu.tsx'
import { CardFacts } from './card-facts.tsx'
import { PersonFacts } from './person-facts.tsx'
import { PersonHead } from './person-head.tsx'
import './cards.css'
import { useMention } from './use-mention.ts'
import { type Managing, usePersonActions } from './use-person-actions.ts'

const StatusDialog = lazyPart(async () => (await import('../status/status-dialog.tsx')).StatusDialog)
const ManageDialog = lazyPart(async () => (await import('./manage-dialog.tsx')).ManageDialog)

/** A dialog that opens from the card and replaces it. */
type Opened = 'status' | Managing

/**
 * A user's card with presence, status, the most important facts, and actions. It closes when the account is no longer
 * visible.
 */
export function PersonCard(props: { userId: number; trigger: Element; onClose: () => void }): ReactNode {
  const { userId, trigger, onClose } = props
  const person = usePerson(userId)
  const [opened, open] = useState<Opened | null>(null)
  useEffect(() => {
    if (person === undefined) onClose()
  }, [person, onClose])
  if (person === undefined) return null
  if (opened === 'status') return <StatusDialog onClose={onClose} />
  if (opened !== null) return <ManageDialog person={person} act={opened} onClose={onClose} />
  return (
    <CardPopover label={person.full_name} trigger={trigger} onClose={onClose}>
      <div className={`person-card-band ${avatarColor(person.user_id)}`} />
      <div className="card-content person-card">
        <PersonHead person={person} />
        {person.is_bot ? <PersonFacts person={person} isShort /> : <CardFacts person={person} onLeave={onClose} />}
        <Actions person={person} onOpen={open} onLeave={onClose} />
      </div>
    </CardPopover>
  )
}

function Actions(props: { person: Person; onOpen: (opened: Opened) => void; onLeave: () => void }): ReactNode {
  const { person, onOpen, onLeave } = props
  const { user_id, is_active } = person
  const isOwn = user_id === useOwnId()
  const mention = useMention(person)
  const actions = usePersonActions(person, { onManage: onOpen, onLeave })
  return (
    <div className="card-actions">
      {isOwn ? (
        <Button kind="primary" icon={<Smile className="icon" aria-hidden="true" />} onPress={() => onOpen('status')}>
          {t('Set status')}
        </Button>
      ) : (
        is_active && (
          <Link
            to="/dm/$people"
            params={{ people: String(user_id) }}
            className="button button-primary"
            onClick={onLeave}
          >
            <MessageSquare className="icon" aria-hidden="true" />
            {t('Message')}
          </Link>
        )
      )}
      {!isOwn && is_active && canInsert() && (
        <Button
          icon={<AtSign className="icon" aria-hidden="true" />}
          onPress={() => {
            onLeave()
            // The focus returns to the trigger when the card closes.
            requestAnimationFrame(() => requestInsertion(mention))
          }}
        >
          {t('Mention')}
        </Button>
      )}
      <span className="card-actions-end">
        {isOwn && (
          <Link
            {...iconLink(t('Message yourself'))}
            to="/dm/$people"
            params={{ people: String(user_id) }}
            onClick={onLeave}
          >
            <MessageSquare className="icon" aria-hidden="true" />
          </Link>
        )}
        <Link
          {...iconLink(t('View profile'))}
          to="/people/$userId"
          params={{ userId: String(user_id) }}
          onClick={onLeave}
        >
          <CircleUser className="icon" aria-hidden="true" />
        </Link>
        {isOwn ? (
          <Link
            {...iconLink(t('Edit profile'))}
            to="/settings/$section"
            params={{ section: 'profile' }}
            onClick={onLeave}
          >
            <Pencil className="icon" aria-hidden="true" />
          </Link>
        ) : (
          <RowMenu label={t('More actions for {name}', { name: person.full_name })} items={actions} />
        )}
      </span>
    </div>
  )
}

const iconLink = (label: string) => ({
  className: 'button button-quiet button-round',
  'aria-label': label,
  title: label,
})
