import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import UsersRound from 'lucide-react/icons/users-round'
import { type ReactNode, useMemo, useState } from 'react'
import { call } from '../api/call.ts'
import * as settingsCss from '../forms/settings.module.css'
import { PersonButton } from '../people/cards.tsx'
import { groupName } from '../picking/group.ts'
import { AddPicked } from '../picking/picker.tsx'
import { type PickerChoice, pickedIds, pickedPeople } from '../picking/picker-choices.ts'
import { toAppError } from '../store/app-error.ts'
import { currentOrganization, type Group, type Person, useOrganization, useOwnId } from '../store/organization.ts'
import { roleName, usePeople } from '../store/people.ts'
import { joinNames } from '../text/names.ts'
import { t } from '../text/t.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button, ShowMore } from '../ui/button.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { useStableFocus } from '../ui/table.tsx'
import { showToast } from '../ui/toasts.ts'
import { peopleCount } from './group-list.tsx'
import { excludedSubgroups, mayJoinGroup, mayLeaveGroup, mayRemoveFrom, sizeOf } from './group-rights.ts'
import * as css from './groups.module.css'

const byName = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })

/** The maximum number of rows that are shown at first. */
const SHOWN = 50

/** A member or subgroup that is about to be removed from the group, or the user who is about to leave it. */
type Leaver = { kind: 'person' | 'self' | 'group'; id: number; name: string }

const CONSEQUENCES: Readonly<Record<Leaver['kind'], string>> = {
  person: t('They lose the permissions the group gives them.'),
  self: t('You lose the permissions the group gives you.'),
  group: t('Its members lose the permissions the group gives them.'),
}

/** The subgroups and members of a group, with buttons to remove them. */
export function GroupMembers({ group }: { group: Group }): ReactNode {
  const organization = useOrganization()
  const { user_id, realm_user_groups } = organization
  const find = usePeople()
  const [most, showUpTo] = useState(SHOWN)
  const [leaver, ask] = useState<Leaver | null>(null)
  const people = group.members
    .flatMap((id) => find(id) ?? [])
    .sort((one, other) => byName.compare(one.full_name, other.full_name))
  const parts = group.direct_subgroup_ids.flatMap((id) => realm_user_groups.find((one) => one.id === id) ?? [])
  const wholes = realm_user_groups.filter(({ direct_subgroup_ids }) => direct_subgroup_ids.includes(group.id))
  const section = useStableFocus(people.length + parts.length)
  const mayRemove = mayRemoveFrom(organization, group)
  const isIn = group.members.includes(user_id)
  return (
    <section className={settingsCss.settingsGroup} aria-labelledby="group-members" ref={section}>
      <h2 id="group-members">{t('Members')}</h2>
      <div className={css.groupSize}>
        <p className="soft small" role="status">
          {parts.length > 0
            ? t('{people}, including members of its subgroups', {
                people: peopleCount(sizeOf(realm_user_groups, group)),
              })
            : peopleCount(sizeOf(realm_user_groups, group))}
        </p>
        {wholes.length > 0 && (
          <p className="soft small">
            {t('It’s a subgroup of {groups}.', { groups: joinNames(wholes.map((whole) => groupName(whole))) })}
          </p>
        )}
      </div>
      {!isIn && mayJoinGroup(organization, group) && <JoinGroup group={group} />}
      {people.length + parts.length === 0 ? (
        <p className="soft">{t('No members yet.')}</p>
      ) : (
        <ul className={css.groupMembers} aria-label={t('Members of {name}', { name: group.name })}>
          {parts.map((part) => (
            <SubgroupItem key={`group ${part.id}`} part={part} onRemove={mayRemove ? ask : null} />
          ))}
          {people.slice(0, most).map((person) => (
            <MemberItem
              key={person.user_id}
              person={person}
              onRemove={(person.user_id === user_id ? mayLeaveGroup(organization, group) : mayRemove) ? ask : null}
            />
          ))}
        </ul>
      )}
      <ShowMore shown={most} all={people.length} onMore={() => showUpTo(most + SHOWN)} />
      {leaver !== null && <LeaveDialog group={group} leaver={leaver} onClose={() => ask(null)} />}
    </section>
  )
}

function JoinGroup({ group }: { group: Group }): ReactNode {
  const { user_id } = useOrganization('user_id')
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('POST /user_groups/{user_group_id}/members', { user_group_id: group.id, add: [user_id] }),
    onSuccess: () => showToast(t('You joined {name}', { name: group.name })),
  })
  return (
    <>
      {error !== null && <ErrorNotice error={toAppError(error)} />}
      <div>
        <Button isPending={isPending} onPress={() => !isPending && mutate()}>
          {t('Join group')}
        </Button>
      </div>
    </>
  )
}

/** `onRemove` asks for confirmation; null if the user may not remove the subgroup. */
function SubgroupItem({ part, onRemove }: { part: Group; onRemove: ((leaver: Leaver) => void) | null }): ReactNode {
  const { realm_user_groups } = useOrganization('realm_user_groups')
  const name = groupName(part)
  return (
    <li>
      <UsersRound className={`icon ${css.groupMark}`} aria-hidden="true" />
      <span className={css.groupMemberName}>
        {part.is_system_group ? (
          name
        ) : (
          <Link to="/organization/$section" params={{ section: 'groups' }} search={{ group: part.id }}>
            {part.name}
          </Link>
        )}
        <span className="soft small">
          {' '}
          {t('Group, {peopleCount}', { peopleCount: peopleCount(sizeOf(realm_user_groups, part)) })}
        </span>
      </span>
      {onRemove !== null && (
        <Button
          kind="quiet"
          aria-label={t('Remove {groupName}', { groupName: name })}
          onPress={() => onRemove({ kind: 'group', id: part.id, name })}
        >
          {t('Remove')}
        </Button>
      )}
    </li>
  )
}

/** `onRemove` asks for confirmation; null if the user may not remove the member. */
function MemberItem({ person, onRemove }: { person: Person; onRemove: ((leaver: Leaver) => void) | null }): ReactNode {
  const isSelf = person.user_id === useOwnId()
  const { user_id: id, full_name: name } = person
  return (
    <li>
      <Avatar id={id} name={name} url={person.avatar_url} />
      <span className={css.groupMemberName}>
        <PersonButton userId={id}>{name}</PersonButton> {isSelf && <Badge>{t('You')}</Badge>}
        <span className="soft small"> {person.is_bot ? t('Bot') : roleName(person.role)}</span>
      </span>
      {onRemove !== null &&
        (isSelf ? (
          <Button kind="quiet" onPress={() => onRemove({ kind: 'self', id, name })}>
            {t('Leave')}
          </Button>
        ) : (
          <Button
            kind="quiet"
            aria-label={t('Remove {name}', { name })}
            onPress={() => onRemove({ kind: 'person', id, name })}
          >
            {t('Remove')}
          </Button>
        ))}
    </li>
  )
}

function LeaveDialog(props: { group: Group; leaver: Leaver; onClose: () => void }): ReactNode {
  const { group, leaver, onClose } = props
  const { kind, id, name } = leaver
  const change = kind === 'group' ? { delete_subgroups: [id] } : { delete: [id] }
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('POST /user_groups/{user_group_id}/members', { user_group_id: group.id, ...change }),
    onSuccess() {
      showToast(
        kind === 'self'
          ? t('You left {name}', { name: group.name })
          : t('{name} removed from {group}', { name, group: group.name }),
      )
      onClose()
    },
  })
  const title =
    kind === 'self'
      ? t('Leave {name}?', { name: group.name })
      : t('Remove {name} from {group}?', { name, group: group.name })
  return (
    <Dialog title={title} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body">
        {error !== null && <ErrorNotice error={toAppError(error)} />}
        <p>{CONSEQUENCES[kind]}</p>
        {kind === 'person' && <p className="soft">{t('They’ll get a message saying who removed them.')}</p>}
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        <Button kind="danger" isPending={isPending} onPress={() => !isPending && mutate()}>
          {kind === 'self' ? t('Leave') : t('Remove')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** Adds members and subgroups to a group. */
export function AddToGroup({ group }: { group: Group }): ReactNode {
  const { realm_user_groups } = useOrganization('realm_user_groups')
  const present = useMemo(() => new Set(group.members), [group.members])
  const excluded = useMemo(() => excludedSubgroups(realm_user_groups, group), [realm_user_groups, group])

  async function add(picks: readonly PickerChoice[], inChannels: readonly number[]): Promise<string> {
    const added = toAdd(group.id, picks, inChannels)
    if (added.add.length + added.add_subgroups.length > 0)
      await call('POST /user_groups/{user_group_id}/members', { user_group_id: group.id, ...added })
    return t('Everyone you picked is now in {name}', { name: group.name })
  }

  return (
    <AddPicked
      storageKey={`groups.add.${group.id}`}
      title={t('Add to group')}
      label={t('Add people and groups')}
      description={t(
        'Members of groups you add become members of this group, including those who join later. Adding a channel adds its current subscribers. People get a message saying who added them.',
      )}
      action={t('Add')}
      without={present}
      withoutGroups={excluded}
      add={add}
    />
  )
}

/**
 * Returns the picked users and groups. Leaves out any that have joined the group in the meantime, because the server
 * refuses to add existing members.
 */
function toAdd(groupId: number, picks: readonly PickerChoice[], inChannels: readonly number[]) {
  const organization = currentOrganization()
  const group = organization?.realm_user_groups.find(({ id }) => id === groupId)
  if (organization === undefined || group === undefined) return { add: [], add_subgroups: [] }
  const people = pickedPeople(
    organization,
    picks.filter((pick) => !pick.startsWith('group:')),
    inChannels,
  )
  const there = new Set(organization.realm_user_groups.map(({ id }) => id))
  return {
    add: people.filter((id) => !group.members.includes(id)),
    add_subgroups: pickedIds(picks, 'group').filter((id) => there.has(id) && !group.direct_subgroup_ids.includes(id)),
  }
}
