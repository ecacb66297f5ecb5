import { findChannel } from '../../channels/queries.ts'
import type { Actor } from '../../people/users/user.ts'
import type { Db } from '../../platform/storage/storage.ts'
import { type AccessScope, findAccessScope, isInScope } from './access-scope.ts'
import type { Clause, Filter, IndexHints, NarrowContext } from './clause.ts'
import { messageTypeOf } from './kind.ts'
import { operators } from './operators.ts'
import { badNarrow } from './refusals.ts'
import { resolveWith } from './resolve-with.ts'
import { all, not } from './sql.ts'
import type { Term } from './term.ts'

/** Reads a narrow; refuses one that means nothing. */
export async function readNarrow(db: Db, actor: Actor, given: readonly Term[], now: number): Promise<Filter> {
  const narrower = { db, actor, now }
  const terms = await resolveWith(narrower, given)
  const clauses: Clause[] = []
  for (const term of terms) clauses.push(await readTerm(narrower, term))

  const kinds = new Set(terms.map(messageTypeOf))
  if (kinds.has('channel') && kinds.has('direct'))
    throw badNarrow({ desc: 'No message can be both a channel message and direct message' })

  const affirmed = clauses.filter((_, index) => terms[index]?.negated === false)
  const aim = mergeHints(affirmed)
  const reach = await findScope(narrower, aim)
  const conditions = clauses.map(({ condition }, index) => (terms[index]?.negated ? not(condition) : condition))
  return {
    reach,
    condition: all([isInScope(db, reach), ...conditions]),
    aim,
    receivedOnly: !affirmed.some((clause) => clause.opensHistory),
  }
}

async function readTerm(narrower: NarrowContext, term: Term): Promise<Clause> {
  const operator = Object.hasOwn(operators, term.operator) ? operators[term.operator] : undefined
  if (operator === undefined) throw badNarrow({ desc: `unknown operator ${term.operator}` })
  return operator(narrower, term)
}

function mergeHints(clauses: readonly Clause[]): IndexHints {
  const aim: IndexHints = Object.assign({}, ...clauses.map((clause) => clause.hints))
  const searches = clauses.flatMap((clause) => clause.hints?.phrases ?? [])
  return aim.phrases === undefined ? aim : { ...aim, phrases: searches }
}

/** No more is looked up than the narrow can show. */
async function findScope({ db, actor, now }: NarrowContext, aim: IndexHints): Promise<AccessScope> {
  if (aim.conversationId !== undefined || aim.isDirect) return findAccessScope(db, actor, now, [])
  if (aim.channelId === undefined) return findAccessScope(db, actor, now)
  const channel = await findChannel(db, actor.realmId, aim.channelId)
  return findAccessScope(db, actor, now, channel === null ? [] : [channel])
}
