import Megaphone from 'lucide-react/icons/megaphone'
import Users from 'lucide-react/icons/users'
import { mentionOf } from '../people/mentions.ts'
import { mayMention } from '../picking/group.ts'
import { membersOf } from '../store/membership.ts'
import type { Group, Organization, Person } from '../store/organization.ts'
import { namesakeDetail, withOwnLast } from '../store/people.ts'
import { t } from '../text/t.ts'
import { Avatar } from '../ui/avatar.tsx'
import { rank, type SearchIndex, toSearchIndex } from '../ui/rank.ts'
import type { CompletionContext } from './completion/completion-context.ts'
import type { Suggestion } from './completion/suggestion-list.tsx'

/** The maximum number of rows in a list. */
export const MAX_ROWS = 8

const indexes = new WeakMap<readonly Person[], SearchIndex<Person>>()

/** Returns the search index of active users. It is built again only when the users change. */
export function indexOfPeople(users: readonly Person[]): SearchIndex<Person> {
  const known = indexes.get(users)
  if (known !== undefined) return known
  const byName = users
    .filter((person) => person.is_active)
    .map((person) => ({ person, key: person.full_name.toLowerCase() }))
    .sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
    .map(({ person }) => person)
  const index = toSearchIndex(byName, ({ full_name }) => full_name)
  indexes.set(users, index)
  return index
}

/** Returns users, groups and wildcards to mention. The user comes last among the users. */
export function suggestMentions(query: string, isSilent: boolean, context: CompletionContext): Suggestion[] {
  const { organization, destination } = context
  const named = rank(indexOfPeople(organization.realm_users), query, MAX_ROWS, ({ user_id }) =>
    weightOf(user_id, context),
  )
  const people = withOwnLast([...named, ...peopleByEmail(organization.realm_users, query, named)], organization.user_id)
  const groups = rank(
    toSearchIndex(mentionableGroups(organization, isSilent), ({ name }) => name),
    query,
    3,
  )
  const typed = query.toLowerCase()
  const wildcards = wildcardsFor(destination.kind).filter(({ name }) => !isSilent && name.startsWith(typed))
  const rows = people.map((person) => toPersonRow(person, isSilent, context))
  const others = [
    ...groups.map((group) => toGroupRow(group, isSilent, organization)),
    ...wildcards.map(({ name, detail }) => ({
      key: `wildcard ${name}`,
      label: name,
      detail,
      icon: <Megaphone className="icon" aria-hidden="true" />,
      insert: `@**${name}** `,
    })),
  ]
  return [...rows.slice(0, Math.max(4, MAX_ROWS - others.length)), ...others].slice(0, MAX_ROWS)
}

/** The minimum length of a query that is compared with email addresses. */
const MIN_EMAIL = 2

/** Returns the active users whose email address starts with the query, except those that were found by name. */
function peopleByEmail(users: readonly Person[], query: string, named: readonly Person[]): Person[] {
  const typed = query.toLowerCase()
  if (typed.length < MIN_EMAIL || named.length >= MAX_ROWS) return []
  return users
    .filter((person) => person.is_active && emailOf(person).startsWith(typed) && !named.includes(person))
    .slice(0, MAX_ROWS - named.length)
}

/** Returns the address of a user in lower case; empty if it is hidden. */
const emailOf = ({ delivery_email }: Person): string => delivery_email?.toLowerCase() ?? ''

/** Ranks users of the conversation first, then recent partners, then subscribers. */
function weightOf(userId: number, { members, partners, subscribers }: CompletionContext): number {
  if (members.has(userId)) return -3
  if (partners.has(userId)) return -2
  return subscribers?.has(userId) ? -0.5 : 0
}

/** Returns the groups that the user may mention. Silent mentions are allowed for all groups. */
const mentionableGroups = (organization: Organization, isSilent: boolean): Group[] =>
  organization.realm_user_groups.filter(
    (group) => !group.is_system_group && !group.deactivated && (isSilent || mayMention(organization, group)),
  )

const wildcardsFor = (kind: 'channel' | 'direct') => [
  {
    name: 'all',
    detail: kind === 'channel' ? t('Notify everyone in the channel') : t('Notify everyone in the conversation'),
  },
  ...(kind === 'channel' ? [{ name: 'topic', detail: t('Notify everyone in the topic') }] : []),
]

function toPersonRow(person: Person, isSilent: boolean, context: CompletionContext): Suggestion {
  const { user_id, full_name, avatar_url } = person
  const presence = context.presenceOf(user_id)
  const isMissing = context.subscribers?.has(user_id) === false && context.channelName !== undefined
  const details = [
    namesakeDetail(person, context.organization.realm_users),
    context.localTimeOf(person),
    isMissing
      ? t('not in #{channel}', { channel: context.channelName ?? '' })
      : presence === 'active'
        ? t('active')
        : '',
  ].filter(Boolean)
  return {
    key: `person ${user_id}`,
    label: user_id === context.organization.user_id ? t('{name} (you)', { name: full_name }) : full_name,
    ...(details.length > 0 && { detail: details.join(' · ') }),
    icon: <Avatar name={full_name} url={avatar_url} id={user_id} presence={presence ?? null} />,
    insert: `${mentionOf(person, context.organization.realm_users, isSilent)} `,
  }
}

const toGroupRow = (group: Group, isSilent: boolean, { realm_user_groups }: Organization): Suggestion => ({
  key: `group ${group.id}`,
  label: group.name,
  detail: t('group · {count, plural, one {# member} other {# members}}', {
    count: membersOf(realm_user_groups, [group.id]).size,
  }),
  icon: <Users className="icon" aria-hidden="true" />,
  insert: `@${isSilent ? '_' : ''}*${group.name}* `,
})
