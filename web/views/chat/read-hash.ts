import { type Narrow, toParticipants } from '../../store/messages/narrow.ts'
import { findOperator, operandId, type SearchFilter, searchText } from '../../store/messages/search-query.ts'

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
