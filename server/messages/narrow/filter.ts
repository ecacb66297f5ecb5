import { sql } from 'kysely'
import { findChannel } from '#channels/queries.ts'
import type { Viewer } from '#groups/viewer.ts'
import type { UserMessage } from '../message.ts'
import {
  type AccessScope,
  all,
  badNarrow,
  type Clause,
  type Filter,
  findAccessScope,
  type IndexHints,
  isInScope,
  not,
  operandText,
  parenthesized,
  parseId,
  requireFewWords,
  type Term,
} from '../narrow.ts'
import { findUserMessages } from '../queries.ts'
import { withoutDuplicates } from '../search/phrases.ts'
import { operators, withoutImpliedTimes } from './operators.ts'
import { selectIds } from './select-ids.ts'

/** The operators that name a conversation. */
const CONVERSATION_OPERATORS = new Set(['channel', 'stream', 'topic', 'subject', 'dm', 'pm-with', 'pm_with'])

const namesConversation = ({ operator, negated }: Term) => CONVERSATION_OPERATORS.has(operator) && !negated

/**
 * Resolves the operator `with`: the current conversation of its message replaces the conversation named by the other
 * terms. If the reader may not read the message, the other terms stay.
 */
async function resolveWith(viewer: Viewer, terms: readonly Term[]): Promise<readonly Term[]> {
  const [withTerm, secondWithTerm] = terms.filter((term) => term.operator === 'with')
  if (withTerm === undefined) return terms
  const id = parseId(operandText(withTerm))
  if (id === null || withTerm.negated || secondWithTerm !== undefined)
    throw badNarrow({ desc: "Invalid 'with' operator" })

  const others = terms.filter((term) => term !== withTerm)
  const message = await findReadableMessage(viewer, id)
  if (message !== null) return [...others.filter((term) => !namesConversation(term)), ...conversationTerms(message)]
  if (!others.some(namesConversation)) throw badNarrow({ desc: "Invalid 'with' operator" })
  return others
}

async function findReadableMessage(viewer: Viewer, id: number): Promise<UserMessage | null> {
  const { db, actor } = viewer
  const scope = await findAccessScope(viewer)
  const where = sql<boolean>`"messages"."id" = ${id}`
  const condition = isInScope(db, scope)
  const filter = { scope, receivedOnly: false, hints: { id }, condition, conditionWithoutPhrases: condition }
  const range = { first: id, last: id, order: 'asc', limit: 1 } as const
  const [message] = await findUserMessages(db, actor.id, parenthesized(selectIds(db, filter, { where }, range)))
  return message ?? null
}

function conversationTerms({ channelId, topic, directConversation }: UserMessage): Term[] {
  if (directConversation !== null)
    return [{ operator: 'dm', operand: directConversation.participantIds, negated: false }]
  return [
    { operator: 'channel', operand: channelId ?? 0, negated: false },
    { operator: 'topic', operand: topic, negated: false },
  ]
}

const CHANNEL_OPERATORS = new Set(['channel', 'stream', 'channels', 'streams', 'topic', 'subject'])

const DIRECT_OPERATORS = new Set(['dm', 'pm-with', 'pm_with', 'dm-including', 'group-pm-with', 'group_pm_with'])

/** Reads a narrow and refuses an invalid one. */
export async function readNarrow(viewer: Viewer, givenTerms: readonly Term[]): Promise<Filter> {
  const { db } = viewer
  const terms = withoutImpliedTimes(await resolveWith(viewer, givenTerms))
  const clauses: Clause[] = []
  for (const term of terms) clauses.push(await readTerm(viewer, term))

  const types = new Set(terms.map(messageTypeOf))
  if (types.has('channel') && types.has('direct'))
    throw badNarrow({ desc: 'No message can be both a channel message and direct message' })

  const positive = clauses.filter((_, index) => terms[index]?.negated === false)
  const hints = mergeHints(positive)
  const scope = await findScope(viewer, hints)
  const conditions = clauses.map(({ condition }, index) => (terms[index]?.negated ? not(condition) : condition))
  // A search without words matches nothing. Its condition stays, because an index query needs at least one word.
  const isSearched = (clause: Clause | undefined) =>
    clause !== undefined && (clause.hints?.phrases?.length ?? 0) > 0 && positive.includes(clause)
  return {
    scope,
    condition: all([isInScope(db, scope), ...conditions]),
    conditionWithoutPhrases: all([
      isInScope(db, scope),
      ...conditions.filter((_, index) => !isSearched(clauses[index])),
    ]),
    hints,
    receivedOnly: !positive.some((clause) => clause.opensHistory),
  }
}

/** Returns the type of all messages that match the term; null if both types can match. */
function messageTypeOf({ operator, operand, negated }: Term): 'channel' | 'direct' | null {
  if (operator === 'is' && (operand === 'dm' || operand === 'private')) return negated ? 'channel' : 'direct'
  if (negated) return null
  if (CHANNEL_OPERATORS.has(operator)) return 'channel'
  return DIRECT_OPERATORS.has(operator) ? 'direct' : null
}

async function readTerm(viewer: Viewer, term: Term): Promise<Clause> {
  const operator = Object.hasOwn(operators, term.operator) ? operators[term.operator] : undefined
  if (operator === undefined) throw badNarrow({ desc: `unknown operator ${term.operator}` })
  return operator(viewer, term)
}

function mergeHints(clauses: readonly Clause[]): IndexHints {
  const hints: IndexHints = Object.assign({}, ...clauses.map((clause) => clause.hints))
  if (hints.phrases === undefined) return hints
  const phrases = withoutDuplicates(clauses.flatMap((clause) => clause.hints?.phrases ?? []))
  requireFewWords(phrases)
  return { ...hints, phrases }
}

/** Loads the access scope for only those channels that the narrow can match. */
async function findScope(viewer: Viewer, hints: IndexHints): Promise<AccessScope> {
  const { db, actor } = viewer
  if (hints.conversationId !== undefined || hints.isDirect) return findAccessScope(viewer, [])
  if (hints.channelId === undefined) return findAccessScope(viewer)
  const channel = await findChannel(db, actor.realmId, hints.channelId)
  return findAccessScope(viewer, channel === null ? [] : [channel])
}
