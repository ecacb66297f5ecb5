import { type ReactNode, useState } from 'react'
import { useOrganization, useOrganizationPart, useOwnId, usePerson } from '../../../store/organization.ts'
import { membersOf } from '../../../store/people/membership.ts'
import { distinctName } from '../../../store/people/people.ts'
import type { MentionProps } from '../../../ui/message-html/content-parts.ts'
import { groupName } from '../../groups/group-name.ts'
import { GroupCard, PersonCard } from '../../people/cards/cards.ts'
import './mention.css'

/** A mention with the current name, which tells users with the same name apart. It opens the profile of the user or the card of the group. */
export function Mention(props: MentionProps): ReactNode {
  if (props.kind === 'user') return <UserMention {...props} />
  if (props.kind === 'group') return <GroupMention {...props} />
  return <Label {...props} isOwn={!props.isSilent} />
}

function UserMention(props: MentionProps): ReactNode {
  const { id } = props
  const isOwn = useOwnId() === id
  const person = usePerson(id)
  const name = useOrganizationPart(({ realm_users }) => person && distinctName(person, realm_users))
  return (
    <Label {...props} name={name} isOwn={!props.isSilent && isOwn}>
      {person && ((trigger, onClose) => <PersonCard userId={id} trigger={trigger} onClose={onClose} />)}
    </Label>
  )
}

function GroupMention(props: MentionProps): ReactNode {
  const { id } = props
  const { user_id, realm_user_groups } = useOrganization()
  const group = realm_user_groups.find((one) => one.id === id)
  const isOwn = !props.isSilent && membersOf(realm_user_groups, [id]).has(user_id)
  return (
    <Label {...props} name={group && groupName(group)} isOwn={isOwn}>
      {group && ((trigger, onClose) => <GroupCard groupId={id} trigger={trigger} onClose={onClose} />)}
    </Label>
  )
}

/** The name as a button that opens `children`, or as text if there are none. */
function Label(
  props: Pick<MentionProps, 'text' | 'isSilent'> & {
    name?: string | undefined
    isOwn: boolean
    children?: ((trigger: Element, onClose: () => void) => ReactNode) | undefined
  },
): ReactNode {
  const { text, isSilent, name, isOwn, children } = props
  const [trigger, setTrigger] = useState<Element | null>(null)
  const label = {
    className: isSilent ? 'mention mention-silent' : 'mention',
    'data-own': isOwn ? '' : undefined,
    children: name === undefined ? text : text.startsWith('@') ? `@${name}` : name,
  }
  if (children === undefined) return <span {...label} />
  return (
    <>
      <button type="button" {...label} onClick={({ currentTarget }) => setTrigger(currentTarget)} />
      {trigger && children(trigger, () => setTrigger(null))}
    </>
  )
}
