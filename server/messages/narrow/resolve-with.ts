import { sql } from 'kysely'
import type { Viewer } from '#groups/viewer.ts'
import type { UserMessage } from '../message.ts'
import { findUserMessages } from '../reading/queries.ts'
import { findAccessScope, isInScope } from './access-scope.ts'
import { badNarrow } from './refusals.ts'
import { selectIds } from './select-ids.ts'
import { parenthesized } from './sql.ts'
import { operandText, parseId, type Term } from './term.ts'

/** The operators that name a conversation. */
const CONVERSATION_OPERATORS = new Set(['channel', 'stream', 'topic', 'subject', 'dm', 'pm-with', 'pm_with'])

const namesConversation = ({ operator, negated }: Term) => CONVERSATION_OPERATORS.has(operator) && !negated

/**
 * Resolves the operator `with`: the current conversation of its message replaces the conversation named by the other
 * terms. If the reader may not read the message, the other terms stay.
 */
export async function resolveWith(viewer: Viewer, terms: readonly Term[]): Promise<readonly Term[]> {
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
