import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import Plus from 'lucide-react/icons/plus'
import UsersRound from 'lucide-react/icons/users-round'
import { type ReactNode, useMemo, useState } from 'react'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import { call } from '../api/call.ts'
import { SettingsGroup } from '../forms/setting-row.tsx'
import { groupName, SYSTEM_GROUPS } from '../picking/group.ts'
import { membersOfPicked, PickerField } from '../picking/picker.tsx'
import { type PickerChoice, pickedAddresses, pickedIds, pickedPeople } from '../picking/picker-choices.ts'
import { fieldErrors, toAppError } from '../store/app-error.ts'
import { type Group, type Organization, useOrganization } from '../store/organization.ts'
import { DEACTIVATED_GROUPS_KEY, refreshDeactivatedGroups } from '../store/query-client.ts'
import { useStoredState } from '../store/stored-state.ts'
import { t } from '../text/t.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogForm } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { Empty } from '../ui/page-states.tsx'
import { showToast } from '../ui/toasts.ts'
import { mayCreateGroups, mayManage, sizeOf } from './group-rights.ts'
import * as css from './groups.module.css'

/** Deactivated groups that the user may reactivate. */
function DeactivatedGroups(): ReactNode {
  const organization = useOrganization()
  const { data = [] } = useQuery({
    queryKey: DEACTIVATED_GROUPS_KEY,
    queryFn: async ({ signal }) =>
      (await call('GET /user_groups', { include_deactivated_groups: true }, { signal })).user_groups.filter(
        ({ deactivated }) => deactivated,
      ),
  })
  const { mutate, isPending, variables } = useMutation({
    mutationFn: ({ id }: Group) =>
      call('PATCH /user_groups/{user_group_id}', { user_group_id: id, deactivated: false }),
    onSuccess: (_, { name }) => showToast(t('{name} reactivated', { name })),
    onError: (error, { name }) =>
      showToast(t('Couldn’t reactivate {name}. {message}', { name, message: toAppError(error).message }), {
        kind: 'error',
      }),
    onSettled: refreshDeactivatedGroups,
  })
  const own = data.filter((group) => mayManage(organization, group))
  if (own.length === 0) return null
  return (
    <SettingsGroup title={t('Deactivated')}>
      <p className="soft small">{t('Deactivated groups keep their members.')}</p>
      <ul className={css.groupMembers} aria-label={t('Deactivated groups')}>
        {own.map((group) => (
          <li key={group.id}>
            <span className={css.groupMemberName}>{group.name}</span>
            <Button
              aria-label={t('Reactivate {name}', { name: group.name })}
              isPending={isPending && variables.id === group.id}
              onPress={() => !isPending && mutate(group)}
            >
              {t('Reactivate')}
            </Button>
          </li>
        ))}
      </ul>
    </SettingsGroup>
  )
}

type Filled = { name: string; description: string; picks: readonly PickerChoice[] }
type FormErrors = { name?: string; description?: string; picks?: string }

/**
 * The form for a new group. By default, the new group includes the user. The form keeps its content until the group is
 * created or the user cancels.
 */
function NewGroupDialog({ onClose }: { onClose: () => void }): ReactNode {
  const organization = useOrganization()
  const [filled, fill, forget] = useStoredState<Filled>('groups.new', () => ({
    name: '',
    description: '',
    picks: [`person:${organization.user_id}`],
  }))
  const { name, description, picks } = filled
  const [errors, setErrors] = useState<FormErrors>({})
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => createGroup(organization, filled),
    onSuccess() {
      forget()
      showToast(t('{name} created', { name: name.trim() }))
      onClose()
    },
    onError: (failure) => setErrors(fieldErrors(failure, { name: 'name', description: 'description' })),
  })

  function write(change: Partial<Filled>) {
    fill(change)
    setErrors({})
    reset()
  }

  function submit() {
    const found = findErrors(filled)
    setErrors(found)
    if (Object.keys(found).length === 0) mutate()
  }

  function cancel() {
    forget()
    onClose()
  }

  return (
    <Dialog title={t('Create group')} isOpen onClose={onClose}>
      <DialogForm
        label={t('New group')}
        action={t('Create group')}
        isPending={isPending}
        onSubmit={submit}
        onCancel={cancel}
      >
        {error !== null && Object.keys(errors).length === 0 && (
          <ErrorNotice title={t('Couldn’t create the group')} error={toAppError(error)} />
        )}
        <TextField
          label={t('Name')}
          name="name"
          autoComplete="off"
          autoFocus
          maxLength={MAX_LENGTH.groupName}
          value={name}
          error={errors.name ?? null}
          onChange={(name) => write({ name })}
        />
        <TextField
          label={t('Description')}
          rows={2}
          value={description}
          error={errors.description ?? null}
          onChange={(description) => write({ description })}
        />
        <PickerField
          label={t('Members')}
          description={t(
            'People, groups, or the current subscribers of a channel. People who join these groups later are included, too.',
          )}
          offered={{ groups: 'all', channels: true }}
          picks={picks}
          onChange={(picks) => write({ picks })}
          error={errors.picks ?? null}
        />
      </DialogForm>
    </Dialog>
  )
}

async function createGroup(organization: Organization, { name, description, picks }: Filled): Promise<unknown> {
  const people = picks.filter((pick) => !pick.startsWith('group:'))
  return call('POST /user_groups/create', {
    name: name.trim(),
    description: description.trim(),
    members: pickedPeople(organization, people, await membersOfPicked(picks)),
    subgroups: pickedIds(picks, 'group').filter((id) =>
      organization.realm_user_groups.some((group) => group.id === id),
    ),
  })
}

function findErrors({ name, picks }: Filled): FormErrors {
  const unknown = pickedAddresses(picks)
  return {
    ...(name.trim() === '' && { name: t('Enter a name.') }),
    ...(unknown.length > 0 && { picks: t('Fix or remove unknown people: {names}', { names: unknown.join(', ') }) }),
  }
}

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
        <ul className={`card ${css.groupList}`} aria-label={t('Groups')}>
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
  const { realm_user_groups, user_id } = useOrganization('realm_user_groups', 'user_id')
  return (
    <li className={css.groupRow}>
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
  const { realm_user_groups } = useOrganization('realm_user_groups')
  const order = Object.keys(SYSTEM_GROUPS)
  const groups = realm_user_groups
    .filter(({ is_system_group, name }) => is_system_group && !HIDDEN.has(name))
    .sort((one, other) => order.indexOf(one.name) - order.indexOf(other.name))
  return (
    <SettingsGroup title={t('Role-based groups')}>
      <p className="soft small">{t('Membership of these groups depends on people’s roles.')}</p>
      <dl className={css.groupRoles}>
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
