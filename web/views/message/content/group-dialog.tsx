import { type ReactNode, useState } from 'react'
import { type Group, useOrganization } from '../../../store/organization.ts'
import { membersOf } from '../../../store/people/membership.ts'
import { usePeople } from '../../../store/people/people.ts'
import { t } from '../../../text/t.ts'
import { ShowMore } from '../../../ui/buttons/show-more.tsx'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { Avatar } from '../../../ui/people/avatar.tsx'
import { groupName } from '../../groups/group-name.ts'
import './group-dialog.css'

const PAGE = 50

/** A group with its description and members. */
export function GroupDialog({ group, onClose }: { group: Group; onClose: () => void }): ReactNode {
  return (
    <Dialog title={groupName(group)} isOpen onClose={onClose}>
      <div className="dialog-body stack">
        {group.description !== '' && <p>{group.description}</p>}
        <Members group={group} />
      </div>
    </Dialog>
  )
}

function Members({ group }: { group: Group }): ReactNode {
  const { realm_user_groups } = useOrganization()
  const findPerson = usePeople()
  const [limit, setLimit] = useState(PAGE)
  const members = [...membersOf(realm_user_groups, [group.id])]
    .map((id) => findPerson(id))
    .filter((person) => person !== undefined)
    .toSorted((one, other) => one.full_name.localeCompare(other.full_name))
  return (
    <section className="stack" aria-labelledby="group-members">
      <h3 id="group-members">
        {t('{count, plural, =0 {No members} one {# member} other {# members}}', { count: members.length })}
      </h3>
      <ul className="group-dialog-members">
        {members.slice(0, limit).map(({ user_id, full_name, avatar_url }) => (
          <li key={user_id} className="row">
            <Avatar name={full_name} url={avatar_url} />
            {full_name}
          </li>
        ))}
      </ul>
      <ShowMore
        shown={Math.min(limit, members.length)}
        all={members.length}
        onMore={() => setLimit((known) => known + PAGE)}
      />
    </section>
  )
}
