import { Link } from '@tanstack/react-router'
import Plus from 'lucide-react/icons/plus'
import UsersRound from 'lucide-react/icons/users-round'
import { type ReactNode, useMemo, useState } from 'react'
import { type Group, useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Empty } from '../../ui/feedback/empty.tsx'
import { TextField } from '../../ui/fields/field.tsx'
import { Badge } from '../../ui/text/badge.tsx'
import { SettingsGroup } from '../settings/rows/settings-group.tsx'
import { DeactivatedGroups } from './deactivated-groups.tsx'
import { groupName, SYSTEM_GROUPS } from './group-name.ts'
import { NewGroupDialog } from './new-group-dialog.tsx'
import { mayCreateGroups, sizeOf } from './rights.ts'

const byName = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })

/** The minimum number of groups for which the list has a search field. */
const MANY = 8

export const peopleCount = (count: number): string => t('{count, plural, one {# person} other {# people}}', { count })

/** Custom groups, role-based groups, and deactivated groups. */
export function GroupList(): ReactNode {
  const organization = useOrganization()
  const { realm_user_groups } = organization
  const [text, setText] = useState('')
  const [isMaking, make] = useState(false)
  const named = useMemo(
    () =>
      realm_user_groups
        .filter(({ is_system_group }) => !is_system_group)
        .sort((one, other) => byName.compare(one.name, other.name)),
    [realm_user_groups],
  )
  const query = text.trim().toLowerCase()
  const shown = named.filter(({ name, description }) => `${name}\n${description}`.toLowerCase().includes(query))
  return (
    <div className="stack">
      {mayCreateGroups(organization) && (
        <div>
          <Button kind="primary" icon={<Plus className="icon" aria-hidden="true" />} onPress={() => make(true)}>
            {t('Create group')}
          </Button>
        </div>
      )}
      {(named.length >= MANY || query !== '') && (
        <search aria-label={t('Find a group')}>
          <TextField
            label={t('Search')}
            type="search"
            placeholder={t('Name or description')}
            value={text}
            onChange={setText}
          />
        </search>
      )}
      {named.length === 0 ? (
        <Empty icon={<UsersRound />} title={t('No groups yet')}>
          <p>{t('Mention several people at once, add them to channels together, or give them permissions.')}</p>
        </Empty>
      ) : shown.length === 0 ? (
        <p role="status">{t('No matching groups.')}</p>
      ) : (
        <ul className="card group-list" aria-label={t('Groups')}>
          {shown.map((group) => (
            <GroupRow key={group.id} group={group} />
          ))}
        </ul>
      )}
      <ByRole />
      <DeactivatedGroups />
      {isMaking && <NewGroupDialog onClose={() => make(false)} />}
    </div>
  )
}

function GroupRow({ group }: { group: Group }): ReactNode {
  const { realm_user_groups, user_id } = useOrganization()
  return (
    <li className="group-row">
      <Link to="/organization/$section" params={{ section: 'groups' }} search={{ group: group.id }}>
        {group.name}
      </Link>{' '}
      {group.members.includes(user_id) && <Badge>{t('Member')}</Badge>}
      {group.description !== '' && <p className="soft small">{group.description}</p>}
      <p className="soft small">{peopleCount(sizeOf(realm_user_groups, group))}</p>
    </li>
  )
}

/** The role-based groups that never have members in the organization. */
const HIDDEN: ReadonlySet<string> = new Set(['role:nobody', 'role:internet'])

function ByRole(): ReactNode {
  const { realm_user_groups } = useOrganization()
  const order = Object.keys(SYSTEM_GROUPS)
  const groups = realm_user_groups
    .filter(({ is_system_group, name }) => is_system_group && !HIDDEN.has(name))
    .sort((one, other) => order.indexOf(one.name) - order.indexOf(other.name))
  return (
    <SettingsGroup title={t('Role-based groups')}>
      <p className="soft small">{t('Membership of these groups depends on people’s roles.')}</p>
      <dl className="group-roles">
        {groups.map((group) => (
          <div key={group.id}>
            <dt>{groupName(group)}</dt>
            <dd>{peopleCount(sizeOf(realm_user_groups, group))}</dd>
          </div>
        ))}
      </dl>
    </SettingsGroup>
  )
}
