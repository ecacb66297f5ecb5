import { membersOf } from '../store/membership.ts'
import type { Organization, Person } from '../store/organization.ts'
import { distinctName, hasNamesake, roleName } from '../store/people.ts'
import { t } from '../text/t.ts'
import type { Option } from '../ui/select-field.tsx'
import { groupName } from './group.ts'

type Kind = 'person' | 'group' | 'channel' | 'unknown'

/** A picked user, group, channel, or unknown email address. */
export type PickerChoice = `${Kind}:${string | number}`

/** The kinds of entries that a picker offers. */
export type PickerScope = { groups: 'named' | 'all' | 'none'; channels: boolean }

type Lists = Pick<
  Organization,
  'realm_users' | 'realm_user_groups' | 'subscriptions' | 'unsubscribed' | 'never_subscribed'
>

/** Role-based groups that are not offered: they are empty, or of no use. */
const HIDDEN: ReadonlySet<string> = new Set(['role:nobody', 'role:internet'])

const people = (count: number) => t('{count, plural, one {# person} other {# people}}', { count })

/** Returns the entries that the picker offers. Users come first, and entries of each kind are sorted by name. */
export function pickerOptions(lists: Lists, { groups, channels }: PickerScope): Option<PickerChoice>[] {
  const compare = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true }).compare
  const byLabel = (options: Option<PickerChoice>[]) => options.sort((one, other) => compare(one.label, other.label))
  const persons = lists.realm_users
    .filter(({ is_active }) => is_active)
    .map((person) => ({
      id: `person:${person.user_id}` as const,
      label: distinctName(person, lists.realm_users),
      hint: person.is_bot ? t('Bot') : emailOrRole(person, lists.realm_users),
    }))
  const offered = lists.realm_user_groups.filter(
    ({ is_system_group, name }) => groups !== 'none' && (!is_system_group || (groups === 'all' && !HIDDEN.has(name))),
  )
  const ofGroups = offered.map((group) => ({
    id: `group:${group.id}` as const,
    label: groupName(group),
    hint: t('Group, {people}', { people: people(membersOf(lists.realm_user_groups, [group.id]).size) }),
  }))
  const all = channels ? [...lists.subscriptions, ...lists.unsubscribed, ...lists.never_subscribed] : []
  const ofChannels = all
    .filter(({ is_archived }) => !is_archived)
    .map(({ stream_id, name }) => ({
      id: `channel:${stream_id}` as const,
      label: name,
      hint: t('Subscribers'),
    }))
  return [...byLabel(persons), ...byLabel(ofGroups), ...byLabel(ofChannels)]
}

/** Returns the text beside a user. The label has the address if another user has the same name. */
const emailOrRole = (person: Person, users: readonly Person[]): string =>
  (hasNamesake(person, users) ? null : person.delivery_email) ?? roleName(person.role)

/** Returns picks for email addresses. Addresses without an account become picks of the kind `unknown`. */
export function picksOf(
  { realm_users }: Pick<Organization, 'realm_users'>,
  addresses: readonly string[],
): PickerChoice[] {
  const byAddress = new Map<string, number>()
  for (const { user_id, email, delivery_email, is_active } of realm_users) {
    if (!is_active) continue
    byAddress.set(email.toLowerCase(), user_id)
    if (delivery_email !== null) byAddress.set(delivery_email.toLowerCase(), user_id)
  }
  return addresses.map((address) => {
    const id = byAddress.get(address.toLowerCase())
    return id === undefined ? (`unknown:${address}` as const) : (`person:${id}` as const)
  })
}

export const pickedIds = (picks: readonly PickerChoice[], kind: Exclude<Kind, 'unknown'>): number[] =>
  picks.filter((pick) => pick.startsWith(`${kind}:`)).map((pick) => Number(pick.slice(kind.length + 1)))

export const pickedAddresses = (picks: readonly PickerChoice[]): string[] =>
  picks.filter((pick) => pick.startsWith('unknown:')).map((pick) => pick.slice('unknown:'.length))

/** Returns the ids of all picked users without duplicates; `inChannels` are the subscribers of picked channels. */
export function pickedPeople(
  lists: Pick<Organization, 'realm_users' | 'realm_user_groups' | 'user_list_incomplete'>,
  picks: readonly PickerChoice[],
  inChannels: Iterable<number> = [],
): number[] {
  const active = new Set(lists.realm_users.filter(({ is_active }) => is_active).map(({ user_id }) => user_id))
  const inGroups = membersOf(lists.realm_user_groups, pickedIds(picks, 'group'))
  return [...new Set([...pickedIds(picks, 'person'), ...inGroups, ...inChannels])].filter(
    (id) => active.has(id) || lists.user_list_incomplete === true,
  )
}

/** Returns the label of a pick. All entries that no longer exist have the same label. */
export function pickLabel(lists: Lists, choice: PickerChoice): string {
  const [kind, id] = [choice.slice(0, choice.indexOf(':')), choice.slice(choice.indexOf(':') + 1)]
  if (kind === 'unknown') return id
  const group = kind === 'group' && lists.realm_user_groups.find((one) => one.id === Number(id))
  if (group) return groupName(group)
  const channels = [...lists.subscriptions, ...lists.unsubscribed, ...lists.never_subscribed]
  const person = kind === 'person' && lists.realm_users.find(({ user_id }) => user_id === Number(id))
  const label = person
    ? distinctName(person, lists.realm_users)
    : kind === 'channel' && channels.find(({ stream_id }) => stream_id === Number(id))?.name
  return label || t('No longer available')
}
