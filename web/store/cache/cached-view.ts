import type { QueryKey } from '@tanstack/react-query'
import type { QueuePosition } from '../connection.ts'
import type { DirectConversation } from '../messages/direct-conversations.ts'
import type { Unread } from '../messages/unread.ts'
import type { Organization } from '../organization.ts'

/** The state that `register` returns. Events keep it up to date. */
export type LiveState = {
  readonly organization: Organization
  readonly unread: Unread
  readonly directConversations: readonly DirectConversation[]
}

/** The view of a page. All its parts belong to the same position of the event queue. */
export type CachedView = {
  readonly position: QueuePosition
  /** The time of the last response, in UNIX seconds. */
  readonly asOf: number
  readonly state: LiveState
  readonly queries: readonly CachedQuery[]
}

/** The query of a timeline or of a topic list, with its data. */
export type CachedQuery = { readonly key: QueryKey; readonly data: unknown }
