import type { ReactNode } from 'react'
import { type Organization, type Person, useOrganization } from '../../store/organization.ts'
import { roleName } from '../../store/people/role.ts'
import { t } from '../../text/t.ts'
import { CheckboxField } from '../../ui/fields/checkbox-field.tsx'
import type { MenuAction } from '../../ui/menu/menu-actions.tsx'
import { Avatar } from '../../ui/people/avatar.tsx'
import { RowMenu } from '../../ui/table/row-menu.tsx'
import { Badge } from '../../ui/text/badge.tsx'
import { Time } from '../../ui/time/time.tsx'
import { botKindName } from '../settings/bots/bot-kinds.ts'
import { mayDeactivate, mayReactivate, ownerOf, rolesFor } from './accounts.ts'

export type AccountAction = 'card' | 'manage' | 'change' | 'key' | 'role' | 'end' | 'bring-back'

/** A row of the account table; for a bot, it also shows the type and owner. */
export function AccountRow(props: {
  person: Person
  isSelected: boolean
  onSelect: (isSelected: boolean) => void
  onAct: (action: AccountAction) => void
}): ReactNode {
  const { person, isSelected, onSelect, onAct } = props
  const organization = useOrganization()
  const { full_name, avatar_url, is_active, is_bot, role, date_joined } = person
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: browsers drop the roles of a table that is laid out as cards
    <tr role="row" className={is_active ? '' : 'row-inactive'}>
      <td role="cell" className="cell-select">
        <CheckboxField isSelected={isSelected} onChange={onSelect}>
          <span className="visually-hidden">{t('Select {name}', { name: full_name })}</span>
        </CheckboxField>
      </td>
      <td role="cell" className="cell-who">
        <span className="who">
          <Avatar id={person.user_id} name={full_name} url={avatar_url} />
          <span>
            {full_name} {!is_active && <Badge kind="warn">{t('Deactivated')}</Badge>}
            <span className="account-address">{is_bot ? person.email : person.delivery_email}</span>
          </span>
        </span>
      </td>
      {is_bot && (
        <>
          <td role="cell" data-label={t('Type')}>
            {botKindName(person.bot_type)}
          </td>
          <td role="cell" data-label={t('Owner')}>
            <Owner bot={person} />
          </td>
        </>
      )}
      <td role="cell" data-label={t('Role')}>
        {roleName(role)}
      </td>
      <td role="cell" data-label={is_bot ? t('Created') : t('Joined')}>
        <Time at={Date.parse(date_joined) / 1000} as="ago" />
      </td>
      <td role="cell" className="cell-acts">
        <RowMenu label={t('Actions for {name}', { name: full_name })} items={actsOf(organization, person, onAct)} />
      </td>
    </tr>
    // biome-ignore-end lint/a11y/noRedundantRoles: as above
  )
}

function Owner({ bot }: { bot: Person }): ReactNode {
  const { realm_users, realm_non_active_users } = useOrganization()
  const owner = ownerOf([...realm_users, ...realm_non_active_users], bot)
  if (owner === undefined) return <span className="soft">{t('Nobody')}</span>
  return (
    <>
      {owner.full_name} {!owner.is_active && <Badge kind="warn">{t('Deactivated')}</Badge>}
    </>
  )
}

function actsOf(organization: Organization, person: Person, onAct: (action: AccountAction) => void): MenuAction[] {
  const mayChangeBot = organization.is_admin && person.is_bot && person.is_active
  return [
    { label: t('View profile'), run: () => onAct('card') },
    !person.is_bot && person.is_active && { label: t('Manage…'), run: () => onAct('manage') },
    mayChangeBot && { label: t('Change name or owner…'), run: () => onAct('change') },
    mayChangeBot && { label: t('New API key…'), run: () => onAct('key') },
    rolesFor(organization, [person]).length > 0 && { label: t('Change role…'), run: () => onAct('role') },
    mayDeactivate(organization, person) && { label: t('Deactivate…'), run: () => onAct('end'), isDanger: true },
    mayReactivate(organization, person) && { label: t('Reactivate'), run: () => onAct('bring-back') },
  ].filter((perform) => perform !== false)
}
