import { findChannel } from '../../channels/queries.ts'
import type { Actor } from '../../people/users/user.ts'
import type { Db } from '../../platform/storage/storage.ts'
import type { Aim, Clause, Filter, Narrower } from './clause.ts'
import { kindOf } from './kind.ts'
import { operators } from './operators.ts'
import { findReach, isWithin, type Reach } from './reach.ts'
import { badNarrow } from './refusals.ts'
import { all, not } from './sql.ts'
import type { Term } from './term.ts'
import { followMessage } from './with-message.ts'

/** Reads a narrow; refuses one that means nothing. */
export async function readNarrow(db: Db, actor: Actor, given: readonly Term[], now: number): Promise<Filter> {
  const narrower = { db, actor, now }
  const terms = await followMessage(narrower, given)
  const clauses: Clause[] = []
  for (const term of terms) clauses.push(await readTerm(narrower, term))

  const kinds = new Set(terms.map(kindOf))
  if (kinds.has('channel') && kinds.has('direct'))
    throw badNarrow({ desc: 'No message can be both a channel message and direct message' })

  const affirmed = clauses.filter((_, index) => terms[index]?.negated === false)
  const aim = joinAims(affirmed)
  const reach = await reachOf(narrower, aim)
  const conditions = clauses.map(({ condition }, index) => (terms[index]?.negated ? not(condition) : condition))
  return {
    reach,
    condition: all([isWithin(db, reach), ...conditions]),
    aim,
    receivedOnly: !affirmed.some((clause) => clause.opensHistory),
  }
}

async function readTerm(narrower: Narrower, term: Term): Promise<Clause> {
  const operator = Object.hasOwn(operators, term.operator) ? operators[term.operator] : undefined
  if (operator === undefined) throw badNarrow({ desc: `unknown operator ${term.operator}` })
  return operator(narrower, term)
}

function joinAims(clauses: readonly Clause[]): Aim {
  const aim: Aim = Object.assign({}, ...clauses.map((clause) => clause.aim))
  const searches = clauses.flatMap((clause) => clause.aim?.phrases ?? [])
  return aim.phrases === undefined ? aim : { ...aim, phrases: searches }
}

/** No more is looked up than the narrow can show. */
async function reachOf({ db, actor, now }: Narrower, aim: Aim): Promise<Reach> {
  if (aim.conversationId !== undefined || aim.isDirect) return findReach(db, actor, now, [])
  if (aim.channelId === undefined) return findReach(db, actor, now)
  const channel = await findChannel(db, actor.realmId, aim.channelId)
  return findReach(db, actor, now, channel === null ? [] : [channel])
}
