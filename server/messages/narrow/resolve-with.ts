import type { UserMessage } from '../message.ts'
import type { NarrowContext } from './clause.ts'
import { findReadableMessage } from './find-readable.ts'
import { badNarrow } from './refusals.ts'
import { operandText, parseId, type Term } from './term.ts'

/** The operators that say in which thread a message stands. */
const THREADS = new Set(['channel', 'stream', 'topic', 'subject', 'dm', 'pm-with', 'pm_with'])

const isOfThread = ({ operator, negated }: Term) => THREADS.has(operator) && !negated

/**
 * The terms with `with` resolved: the thread in which its message stands now, in place of the one that the other terms
 * name. Those stand when the reader may not read the message.
 */
export async function resolveWith(narrower: NarrowContext, terms: readonly Term[]): Promise<readonly Term[]> {
  const [followed, another] = terms.filter((term) => term.operator === 'with')
  if (followed === undefined) return terms
  const id = parseId(operandText(followed))
  if (id === null || followed.negated || another !== undefined) throw badNarrow({ desc: "Invalid 'with' operand" })

  const others = terms.filter((term) => term !== followed)
  const message = await findReadableMessage(narrower, id)
  if (message !== null) return [...others.filter((term) => !isOfThread(term)), ...threadOf(message)]
  if (!others.some(isOfThread)) throw badNarrow({ desc: "Invalid 'with' operand" })
  return others
}

function threadOf({ channelId, topic, directConversation: conversation }: UserMessage): Term[] {
  if (conversation !== null) return [{ operator: 'dm', operand: conversation.participantIds, negated: false }]
  return [
    { operator: 'channel', operand: channelId ?? 0, negated: false },
    { operator: 'topic', operand: topic, negated: false },
  ]
}
