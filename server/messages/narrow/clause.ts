import type { Actor } from '../../people/users/user.ts'
import type { Db } from '../../platform/storage/storage.ts'
import type { Phrase } from '../search/phrases.ts'
import type { AccessScope } from './access-scope.ts'
import type { Condition } from './sql.ts'
import type { Term } from './term.ts'

/** Who narrows, and when. */
export type NarrowContext = { db: Db; actor: Actor; now: number }

/** What a message must have to be found, as far as the database has an index of it. */
export type IndexHints = {
  id?: number
  channelId?: number
  conversationId?: number
  topicKey?: string
  senderId?: number
  phrases?: readonly Phrase[]
  /** Whether one of the flags that are `MARKS` is asked for. */
  hasIndexedFlag?: true
  hasHoldings?: true
  isUnread?: true
  isDirect?: true
}

/** What one term means. */
export type Clause = {
  condition: Condition
  /** Follows from the condition, when the term is not negated. */
  hints?: IndexHints
  /** Whether the term shows what the reader may read but has not received, too. */
  opensHistory?: boolean
}

/** Reads a term of one operator; refuses an operand that means nothing. */
export type Operator = (narrower: NarrowContext, term: Term) => Clause | Promise<Clause>

/** A narrow as one person may see it: nothing that they may not read fulfils its condition. */
export type Filter = {
  reach: AccessScope
  condition: Condition
  aim: IndexHints
  /** Whether only what the reader has a record of is shown. */
  receivedOnly: boolean
}
