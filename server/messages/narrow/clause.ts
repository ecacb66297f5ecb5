import type { Viewer } from '#groups/viewer.ts'
import type { Phrase } from '../search/phrases.ts'
import type { AccessScope } from './access-scope.ts'
import type { Condition } from './sql.ts'
import type { Term } from './term.ts'

/** Properties that every matching message has and that the database has an index for. */
export type IndexHints = {
  id?: number
  channelId?: number
  conversationId?: number
  topicKey?: string
  senderId?: number
  phrases?: readonly Phrase[]
  /** True if the narrow requires one of the `INDEXED_FLAGS`. */
  hasIndexedFlag?: true
  hasFeatures?: true
  /** No matching message has an id below `minId` or above `maxId`. */
  minId?: number
  maxId?: number
  isUnread?: true
  isDirect?: true
}

/** The meaning of one term. */
export type Clause = {
  condition: Condition
  /** Properties that the condition implies. They are used only if the term is not negated. */
  hints?: IndexHints
  /** True if the term also matches messages that the reader may read but has not received. */
  opensHistory?: boolean
}

/** Reads a term of one operator and refuses an invalid operand. */
export type Operator = (viewer: Viewer, term: Term) => Clause | Promise<Clause>

/** A narrow for one reader. Its condition never matches a message that the reader may not read. */
export type Filter = {
  scope: AccessScope
  condition: Condition
  /** The condition without `hints.phrases`, for queries that read matches from the full-text index. */
  conditionWithoutPhrases: Condition
  hints: IndexHints
  /** True if the narrow matches only messages that the reader has a record of. */
  receivedOnly: boolean
}
