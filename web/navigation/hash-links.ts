import { type Narrow, toParticipants } from '../messages/narrow.ts'
import { findOperator, operandId, type SearchFilter, searchText } from '../messages/search-query.ts'
import { toLocation } from './narrow-location.ts'

/**
 * A narrow, and the message at which it opens. `with` is the id of a message of the topic, which may since have been
 * moved to another topic.
 */
type HashNarrow = { narrow: Narrow; near?: number; with?: number }

/** A term of a link. The operand of the operator `search` consists of words. */
type LinkTerm = Omit<SearchFilter, 'operator'> & { readonly operator: SearchFilter['operator'] | 'search' }

/**
 * Returns the narrow of a link in Zulip's format, such as `#narrow/channel/3-design/topic/tea/near/5`. Returns a search
 * if no page shows exactly the messages that the link selects. Returns null for other fragments, malformed fragments
 * and unknown operators. `ownId` is left out of direct conversations.
 */
export function readHash(hash: string, ownId: number): HashNarrow | null {
  const [start, ...parts] = hash.replace(/^#/, '').split('/')
  const terms = start === 'narrow' ? readTerms(parts) : null
  if (terms === null || terms.length === 0) return null
  const [near, withId] = [idIn(terms, ['near', 'id']), idIn(terms, ['with'])]
  if (near === undefined || withId === undefined) return null
  const rest = terms.filter(({ operator, negated }) => negated || !POSITIONS.includes(operator))
  const narrow = toNarrow(rest, ownId)
  const isTopic = narrow.kind === 'topic' || narrow.kind === 'channel'
  const message = near ?? (isTopic ? null : withId)
  return { narrow, ...(message !== null && { near: message }), ...(isTopic && withId !== null && { with: withId }) }
}

const POSITIONS: readonly LinkTerm['operator'][] = ['near', 'id', 'with']

/**
 * Returns the id in the first term with one of the operators; null if there is no such term, `undefined` if the id is
 * invalid.
 */
function idIn(terms: readonly LinkTerm[], operators: readonly LinkTerm['operator'][]): number | null | undefined {
  const term = terms.find(({ operator, negated }) => operators.includes(operator) && !negated)
  if (term === undefined) return null
  const id = Number(term.operand)
  return Number.isSafeInteger(id) && id > 0 ? id : undefined
}

/** Reads the parts as terms; null for an unknown operator or a malformed operand. */
function readTerms(parts: readonly string[]): LinkTerm[] | null {
  const terms: LinkTerm[] = []
  for (let at = 0; at < parts.length; at += 2) {
    const [name = '', operand] = [parts[at], decodePart(parts[at + 1] ?? '')]
    // A link may end with a slash.
    if (name === '' && at + 1 >= parts.length) break
    const negated = name.startsWith('-')
    const plain = negated ? name.slice(1) : name
    const operator = plain === 'search' ? plain : findOperator(plain)
    if (operator === null || operand === null || (operand === '' && operator !== 'topic')) return null
    terms.push({ operator, operand, negated })
  }
  return terms
}

/** Returns the narrow of the page that shows exactly the messages that the terms select; a search if there is none. */
function toNarrow(terms: readonly LinkTerm[], ownId: number): Narrow {
  if (terms.length === 0) return { kind: 'combined' }
  return (terms.some(({ negated }) => negated) ? null : toPage(terms, ownId)) ?? toSearch(terms)
}

function toPage(terms: readonly LinkTerm[], ownId: number): Narrow | null {
  const [one, other] = terms.toSorted((left, right) => left.operator.localeCompare(right.operator))
  if (one === undefined || terms.length > 2) return null
  const channelId = one.operator === 'channel' ? operandId(one.operand) : null
  if (channelId !== null) {
    if (other === undefined) return { kind: 'channel', channelId }
    return other.operator === 'topic' ? { kind: 'topic', channelId, topic: other.operand } : null
  }
  if (other !== undefined) return isOwnReactions(one, other, ownId) ? { kind: 'reactions' } : null
  if (one.operator === 'dm') {
    // The operand of such a link ends with a word after the ids, as in `9,8-group`.
    const ids = one.operand.replace(/-.*$/, '').split(',').map(operandId)
    const people = ids.filter((id) => id !== null)
    return people.length === ids.length ? { kind: 'direct', people: toParticipants(people, ownId) } : null
  }
  return FEEDS[`${one.operator}:${one.operand}`] ?? null
}

const FEEDS: Readonly<Record<string, Narrow>> = {
  'is:starred': { kind: 'starred' },
  'is:mentioned': { kind: 'mentions' },
  'is:dm': { kind: 'direct-messages' },
  'is:private': { kind: 'direct-messages' },
  'in:home': { kind: 'combined' },
}

const isOwnReactions = (one: LinkTerm, other: LinkTerm, ownId: number): boolean =>
  one.operator === 'from' &&
  (one.operand === 'me' || operandId(one.operand) === ownId) &&
  other.operator === 'has' &&
  other.operand === 'reaction'

function toSearch(terms: readonly LinkTerm[]): Narrow {
  const isWords = ({ operator, negated }: LinkTerm) => operator === 'search' && !negated
  const filters = terms
    .filter((term) => !isWords(term))
    .map(
      ({ operator, operand, negated }): SearchFilter =>
        operator === 'search' ? { operator: 'not', operand, negated: false } : { operator, operand, negated },
    )
  const words = terms.filter(isWords).map(({ operand }) => operand)
  return { kind: 'search', query: searchText({ filters, words: words.join(' ') }) }
}

/** Decodes a part of a link, in which dots replace percent signs; null if the part is malformed. */
function decodePart(part: string): string | null {
  try {
    return decodeURIComponent(part.replaceAll('.', '%'))
  } catch {
    return null
  }
}

/** The path of a page, and its search parameters. */
type PageLocation = { readonly to: string; readonly search: Readonly<Record<string, string | number>> }

const page = (to: string, search: PageLocation['search'] = {}): PageLocation => ({ to, search })

/** The paths of views by their names in other clients; some views have several names. */
const VIEWS: Readonly<Record<string, string>> = {
  inbox: '/inbox',
  recent: '/recent',
  recent_topics: '/recent',
  recent_view: '/recent',
  feed: '/combined',
  all_messages: '/combined',
  drafts: '/drafts',
  scheduled: '/scheduled',
  reminders: '/scheduled',
  search: '/search',
  'about-zulip': '/settings/about',
}

const SETTINGS: Readonly<Record<string, string>> = {
  'account-and-privacy': 'account',
  'your-account': 'account',
  'display-settings': 'preferences',
  'alert-words': 'notifications',
  'your-bots': 'bots',
  'uploaded-files': 'files',
  topics: 'topics',
  'muted-topics': 'topics',
  'muted-users': 'muted-people',
}

const ORGANIZATION: Readonly<Record<string, string>> = {
  'organization-profile': 'profile',
  'organization-settings': 'messages',
  'organization-permissions': 'permissions',
  'auth-methods': 'joining',
  'emoji-settings': 'emoji',
  'linkifier-settings': 'links',
  'playground-settings': 'playgrounds',
  'profile-field-settings': 'profile-fields',
  'user-list-admin': 'people',
  'deactivated-users-admin': 'people',
  users: 'people',
  'bot-list-admin': 'bots',
  'organization-level-user-defaults': 'new-users',
  'data-exports-admin': 'exports',
}

const CHANNEL_LISTS: Readonly<Record<string, string>> = {
  subscribed: 'subscribed',
  available: 'available',
  notsubscribed: 'available',
  all: 'all',
  archived: 'archived',
}

const CHANNEL_SECTIONS: Readonly<Record<string, string>> = {
  personal: 'personal',
  subscribers: 'subscribers',
  permissions: 'permissions',
}

/**
 * Returns the page of a fragment of the Zulip web app, such as `#settings/profile` or `#user/7`; null for other
 * fragments.
 */
function pageOfHash(hash: string): PageLocation | null {
  const [start = '', first = '', second = '', third = ''] = hash.replace(/^#/, '').split('/')
  const view = Object.hasOwn(VIEWS, start) ? VIEWS[start] : undefined
  if (view !== undefined) return page(view)
  switch (start) {
    case 'settings':
      return page(`/settings/${SETTINGS[first] ?? (first || 'profile')}`)
    case 'organization':
      return first === 'users' && second === 'invitations'
        ? page('/invitations')
        : page(`/organization/${ORGANIZATION[first] ?? (first || 'profile')}`)
    case 'channels':
    case 'streams':
    case 'subscriptions':
      return channelPage(first, third)
    case 'topics':
      return first === 'channel' && idOf(second) !== null ? page(`/channels/${idOf(second)}/topics`) : null
    case 'groups':
      return idOf(first) === null
        ? page('/organization/groups')
        : page('/organization/groups', { group: idOf(first) ?? 0 })
    case 'user':
      return idOf(first) === null ? null : page(`/people/${idOf(first)}`)
    case 'invite':
      return page('/inbox', { invite: 'email' })
    default:
      return null
  }
}

function channelPage(which: string, section: string): PageLocation | null {
  if (which === '') return page('/channels')
  if (which === 'new') return page('/channels/new')
  const list = CHANNEL_LISTS[which]
  if (list !== undefined) return page('/channels', { show: list })
  const id = idOf(which)
  return id === null ? null : page(`/channels/${id}/settings/${CHANNEL_SECTIONS[section] ?? 'general'}`)
}

/** Returns the id at the start of a part such as `7-design`; null if there is none. */
function idOf(part: string): number | null {
  const id = Number(/^(\d+)(?:-|$)/.exec(part)?.[1] ?? '')
  return id > 0 && Number.isSafeInteger(id) ? id : null
}

/**
 * Returns the location of a fragment that Zulip clients use as an address, such as `#narrow/channel/3-design/topic/tea`
 * or `#settings/profile`; null for other fragments. `ownId` is the id of the user.
 */
export function hashLocation(hash: string, ownId: number): PageLocation | null {
  const found = readHash(hash, ownId)
  if (found === null) return pageOfHash(hash)
  const { to, search } = toLocation(found.narrow, found.near)
  return { to, search: { ...search, ...(found.with !== undefined && { with: found.with }) } }
}

/**
 * Returns true if the fragment looks like the address of a page, and not like the name of a part of the current page.
 */
export const looksLikeAddress = (hash: string): boolean => /^#?(?:narrow\b|[a-z_-]+\/)/.test(hash)
