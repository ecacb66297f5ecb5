import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { type Person, useOrganization } from '../../store/organization.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { ShowMore } from '../../ui/buttons/show-more.tsx'
import { CheckboxField } from '../../ui/fields/checkbox-field.tsx'
import '../../ui/table/card-table.css'
import { t } from '../../text/t.ts'
import { SelectionBar } from '../../ui/table/selection-bar.tsx'
import { useStableFocus } from '../../ui/table/use-stable-focus.ts'
import { NewBotKeyDialog } from '../settings/bots/new-bot-key-dialog.tsx'
import { type AccountAction, AccountRow } from './account-row.tsx'
import { mayDeactivate, mayReactivate, rolesFor } from './accounts.ts'
import { BotDialog } from './bot-dialog.tsx'
import { DeactivateAccountsDialog } from './deactivate-accounts-dialog.tsx'
import { ManagePersonDialog } from './manage/manage-person-dialog.tsx'
import { reactivateAccounts } from './reactivate-accounts.ts'
import { RoleDialog } from './role-dialog.tsx'

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
      <table className="card card-table" role="table" aria-label={areBots ? t('Bots') : t('Accounts')}>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">
              <CheckboxField
                isSelected={chosen.length === people.length}
                onChange={(isOn) => setSelected(new Set(isOn ? people.map(({ user_id }) => user_id) : []))}
              >
                <span className="visually-hidden select-all">{t('Select all {count}', { count: people.length })}</span>
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
      {opened?.act === 'key' && opened.people[0] && <NewBotKeyDialog bot={opened.people[0]} onClose={close} />}
      {opened?.act === 'manage' && <ManagePersonDialog userId={opened.people[0]?.user_id ?? 0} onClose={close} />}
    </div>
  )
}
