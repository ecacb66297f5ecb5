import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { BotType } from '#rules/role.ts'
import { DeactivateAccountsDialog, RoleDialog } from '../../people/account-dialogs.tsx'
import { mayDeactivate, mayReactivate, ownerOf, rolesFor } from '../../people/accounts.ts'
import { botKindName } from '../../people/bot-kinds.ts'
import { ManagePersonDialog } from '../../people/manage-dialog.tsx'
import { reactivateAccounts } from '../../people/use-person-actions.ts'
import { BotCommandsDialog } from '../../settings/bot-commands-dialog.tsx'
import { DeliveriesDialog } from '../../settings/incoming-deliveries.tsx'
import { NewBotKeyDialog } from '../../settings/new-bot-key-dialog.tsx'
import { type Organization, type Person, useOrganization } from '../../store/organization.ts'
import { roleName } from '../../store/people.ts'
import { t } from '../../text/t.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, ShowMore } from '../../ui/button.tsx'
import * as cardTableCss from '../../ui/card-table.module.css'
import { CheckboxField } from '../../ui/field.tsx'
import type { MenuAction } from '../../ui/menu.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { SelectionBar, useStableFocus } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import * as css from '../organization.module.css'
import { BotDialog } from './bot-dialog.tsx'

type AccountAction = 'card' | 'manage' | 'change' | 'commands' | 'deliveries' | 'key' | 'role' | 'end' | 'bring-back'

/** A row of the account table; for a bot, it also shows the type and owner. */
function AccountRow(props: {
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
    <tr role="row" className={is_active ? '' : cardTableCss.rowInactive}>
      <td role="cell" className={cardTableCss.cellSelect}>
        <CheckboxField isSelected={isSelected} onChange={onSelect}>
          <span className="visually-hidden">{t('Select {name}', { name: full_name })}</span>
        </CheckboxField>
      </td>
      <td role="cell" className={cardTableCss.cellWho}>
        <span className={cardTableCss.who}>
          <Avatar id={person.user_id} name={full_name} url={avatar_url} />
          <span>
            {full_name} {!is_active && <Badge kind="warn">{t('Deactivated')}</Badge>}
            <span className={css.accountAddress}>{is_bot ? person.email : person.delivery_email}</span>
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
      <td role="cell" className={cardTableCss.cellActs}>
        <RowMenu label={t('Actions for {name}', { name: full_name })} items={actsOf(organization, person, onAct)} />
      </td>
    </tr>
    // biome-ignore-end lint/a11y/noRedundantRoles: as above
  )
}

function Owner({ bot }: { bot: Person }): ReactNode {
  const { realm_users, realm_non_active_users } = useOrganization('realm_users', 'realm_non_active_users')
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
  const isOutgoing = mayChangeBot && person.bot_type === BotType.outgoingWebhook
  const hasDeliveries = isOutgoing || (mayChangeBot && person.bot_type === BotType.incomingWebhook)
  return [
    { label: t('View profile'), run: () => onAct('card') },
    !person.is_bot && person.is_active && { label: t('Manage…'), run: () => onAct('manage') },
    mayChangeBot && { label: t('Change name or owner…'), run: () => onAct('change') },
    isOutgoing && { label: t('Commands…'), run: () => onAct('commands') },
    hasDeliveries && { label: t('Deliveries…'), run: () => onAct('deliveries') },
    mayChangeBot && { label: t('New API key…'), run: () => onAct('key') },
    rolesFor(organization, [person]).length > 0 && { label: t('Change role…'), run: () => onAct('role') },
    mayDeactivate(organization, person) && { label: t('Deactivate…'), run: () => onAct('end'), isDanger: true },
    mayReactivate(organization, person) && { label: t('Reactivate'), run: () => onAct('bring-back') },
  ].filter((perform) => perform !== false)
}

/** The maximum number of rows that are shown at first. */
const SHOWN = 50

type Opened = { act: AccountAction; people: readonly Person[] }

/** The table of accounts or bots, with actions for one or several of them; phones show the rows as cards. */
export function AccountTable({ people, areBots = false }: { people: readonly Person[]; areBots?: boolean }): ReactNode {
  const organization = useOrganization()
  const navigate = useNavigate()
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set())
  const [opened, open] = useState<Opened | null>(null)
  const [most, showUpTo] = useState(SHOWN)
  const table = useStableFocus(people.length)
  const chosen = people.filter(({ user_id }) => selected.has(user_id))
  const close = () => open(null)

  function action(run: AccountAction, people: readonly Person[]) {
    if (run === 'bring-back') void reactivateAccounts(people)
    else if (run === 'card') void navigate({ to: '/people/$userId', params: { userId: String(people[0]?.user_id) } })
    else open({ act: run, people })
  }

  return (
    <div ref={table}>
      <SelectionBar label={t('Selection')} count={chosen.length} onClear={() => setSelected(new Set())}>
        {rolesFor(organization, chosen).length > 0 && (
          <Button onPress={() => action('role', chosen)}>{t('Change role…')}</Button>
        )}
        {chosen.some((person) => mayDeactivate(organization, person)) && (
          <Button onPress={() => action('end', chosen)}>{t('Deactivate…')}</Button>
        )}
        {chosen.some((person) => mayReactivate(organization, person)) && (
          <Button onPress={() => action('bring-back', chosen)}>{t('Reactivate')}</Button>
        )}
      </SelectionBar>
      {/* biome-ignore-start lint/a11y/noRedundantRoles: browsers drop the roles of a table that is laid out as cards */}
      <table className={`card ${cardTableCss.cardTable}`} role="table" aria-label={areBots ? t('Bots') : t('Accounts')}>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">
              <CheckboxField
                isSelected={chosen.length === people.length}
                onChange={(isOn) => setSelected(new Set(isOn ? people.map(({ user_id }) => user_id) : []))}
              >
                <span className={`visually-hidden ${cardTableCss.selectAll}`}>
                  {t('Select all {count}', { count: people.length })}
                </span>
              </CheckboxField>
            </th>
            {(areBots
              ? [t('Name'), t('Type'), t('Owner'), t('Role'), t('Created')]
              : [t('Name'), t('Role'), t('Joined')]
            ).map((name) => (
              <th key={name} role="columnheader" scope="col">
                {name}
              </th>
            ))}
            <th role="columnheader" scope="col">
              <span className="visually-hidden">{t('Actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {people.slice(0, most).map((person) => (
            <AccountRow
              key={person.user_id}
              person={person}
              isSelected={selected.has(person.user_id)}
              onSelect={(isOn) =>
                setSelected(
                  new Set(isOn ? [...selected, person.user_id] : [...selected].filter((id) => id !== person.user_id)),
                )
              }
              onAct={(what) => action(what, [person])}
            />
          ))}
        </tbody>
      </table>
      {/* biome-ignore-end lint/a11y/noRedundantRoles: as above */}
      <ShowMore shown={most} all={people.length} onMore={() => showUpTo(most + SHOWN)} />
      {opened?.act === 'role' && <RoleDialog people={opened.people} onClose={close} />}
      {opened?.act === 'end' && <DeactivateAccountsDialog people={opened.people} onClose={close} />}
      {opened?.act === 'change' && opened.people[0] && <BotDialog bot={opened.people[0]} onClose={close} />}
      {opened?.act === 'commands' && opened.people[0] && <BotCommandsDialog bot={opened.people[0]} onClose={close} />}
      {opened?.act === 'deliveries' && opened.people[0] && <DeliveriesDialog bot={opened.people[0]} onClose={close} />}
      {opened?.act === 'key' && opened.people[0] && <NewBotKeyDialog bot={opened.people[0]} onClose={close} />}
      {opened?.act === 'manage' && <ManagePersonDialog userId={opened.people[0]?.user_id ?? 0} onClose={close} />}
    </div>
  )
}
