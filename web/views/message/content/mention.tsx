import { type ReactNode, useMemo, useState } from 'react'
import { useOrganization } from '../../../store/organization.ts'
import { membersOf } from '../../../store/people/membership.ts'
import { lazyPart } from '../../../ui/lazy-part.tsx'
import type { MentionProps } from '../../../ui/message/content-parts.ts'
import { groupName } from '../../groups/group-name.ts'
import './mention.css'

const PersonDialog = lazyPart(async () => (await import('../../people/person-dialog.tsx')).PersonDialog)
const GroupDialog = lazyPart(async () => (await import('./group-dialog.tsx')).GroupDialog)

/** A mention, which opens the profile or the group. Names follow changes of the account. */
export function Mention(props: MentionProps): ReactNode {
  if (props.kind === 'user') return <UserMention {...props} />
  if (props.kind === 'group') return <GroupMention {...props} />
  return <Label {...props} isOwn={!props.isSilent} />
}

function UserMention(props: MentionProps): ReactNode {
  const { id } = props
  const { user_id, realm_users, realm_non_active_users, cross_realm_bots } = useOrganization()
  const person = useMemo(
    () => [realm_users, realm_non_active_users, cross_realm_bots].flat().find((one) => one.user_id === id),
    [id, realm_users, realm_non_active_users, cross_realm_bots],
  )
  return (
    <Label {...props} name={person?.full_name} isOwn={!props.isSilent && id === user_id}>
      {person && ((onClose) => <PersonDialog userId={id} onClose={onClose} />)}
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
      {group && ((onClose) => <GroupDialog group={group} onClose={onClose} />)}
    </Label>
  )
}

/** The name as a button that opens `children`; as text without it. */
function Label(
  props: Pick<MentionProps, 'text' | 'isSilent'> & {
    name?: string | undefined
    isOwn: boolean
    children?: ((onClose: () => void) => ReactNode) | undefined
  },
): ReactNode {
  const { text, isSilent, name, isOwn, children } = props
  const [isOpen, setOpen] = useState(false)
  const label = {
    className: isSilent ? 'mention mention-silent' : 'mention',
    'data-own': isOwn ? '' : undefined,
    children: name === undefined ? text : text.startsWith('@') ? `@${name}` : name,
  }
  if (children === undefined) return <span {...label} />
  return (
    <>
      <button type="button" {...label} onClick={() => setOpen(true)} />
      {isOpen && children(() => setOpen(false))}
    </>
  )
}
