import { Link } from '@tanstack/react-router'
import AtSign from 'lucide-react/icons/at-sign'
import { type ReactNode, useEffect, useState } from 'react'
import { canInsert, requestInsertion } from '../browser/compose-requests.ts'
import { groupName, mayMention } from '../picking/group.ts'
import { membersOf } from '../store/membership.ts'
import { type Group, type Person, useOrganization } from '../store/organization.ts'
import { usePeople } from '../store/people.ts'
import { usePresence } from '../store/presence.ts'
import { t } from '../text/t.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Button, ShowMore } from '../ui/button.tsx'
import { CardPopover } from '../ui/card-popover.tsx'
import * as css from './cards.module.css'
import { mentionOfGroup } from './mentions.ts'

const byName = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })

/** The maximum number of members that are shown at first. */
const SHOWN = 50

/** A group's card with its description, members and actions. It closes when the group no longer exists. */
export function GroupCard(props: { groupId: number; trigger: Element; onClose: () => void }): ReactNode {
  const { groupId, trigger, onClose } = props
  const { realm_user_groups } = useOrganization('realm_user_groups')
  const group = realm_user_groups.find(({ id }) => id === groupId)
  useEffect(() => {
    if (group === undefined) onClose()
  }, [group, onClose])
  if (group === undefined) return null
  return (
    <CardPopover label={groupName(group)} trigger={trigger} onClose={onClose}>
      <div className={css.cardContent}>
        <div>
          <h2>{groupName(group)}</h2>
          {group.description !== '' && <p>{group.description}</p>}
        </div>
        <Members group={group} onLeave={onClose} />
        <Actions group={group} onLeave={onClose} />
      </div>
    </CardPopover>
  )
}

function Members({ group, onLeave }: { group: Group; onLeave: () => void }): ReactNode {
  const { realm_user_groups } = useOrganization('realm_user_groups')
  const find = usePeople()
  const [limit, setLimit] = useState(SHOWN)
  const members = [...membersOf(realm_user_groups, [group.id])]
    .flatMap((id) => find(id) ?? [])
    .sort((one, other) => byName.compare(one.full_name, other.full_name))
  return (
    <section aria-labelledby="group-card-members">
      <h3 id="group-card-members" className="soft small">
        {t('{count, plural, =0 {No members} one {# member} other {# members}}', { count: members.length })}
      </h3>
      <ul className={css.groupCardMembers}>
        {members.slice(0, limit).map((person) => (
          <li key={person.user_id}>
            <Member person={person} onLeave={onLeave} />
          </li>
        ))}
      </ul>
      <ShowMore
        shown={Math.min(limit, members.length)}
        all={members.length}
        onMore={() => setLimit((known) => known + SHOWN)}
      />
    </section>
  )
}

function Member({ person, onLeave }: { person: Person; onLeave: () => void }): ReactNode {
  const { user_id, full_name, avatar_url, is_active } = person
  const presence = usePresence(user_id)
  return (
    <Link to="/people/$userId" params={{ userId: String(user_id) }} onClick={onLeave}>
      <Avatar id={user_id} name={full_name} url={avatar_url} presence={is_active ? (presence?.kind ?? null) : null} />
      {full_name}
    </Link>
  )
}

function Actions({ group, onLeave }: { group: Group; onLeave: () => void }): ReactNode {
  const organization = useOrganization()
  const isMentionable = !group.is_system_group && mayMention(organization, group)
  return (
    <div className={css.cardActions}>
      {isMentionable && canInsert() && (
        <Button
          icon={<AtSign className="icon" aria-hidden="true" />}
          onPress={() => {
            onLeave()
            // The focus returns to the trigger when the card closes.
            requestAnimationFrame(() => requestInsertion(mentionOfGroup(group)))
          }}
        >
          {t('Mention')}
        </Button>
      )}
      {!group.is_system_group && (
        <Link
          to="/organization/$section"
          params={{ section: 'groups' }}
          search={{ group: group.id }}
          className="button"
          onClick={onLeave}
        >
          {t('View group')}
        </Link>
      )}
    </div>
  )
}
