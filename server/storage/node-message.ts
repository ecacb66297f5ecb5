import type { Commit, NodeTopic, NodeTopicId } from './storage.ts'
import type { NotifiedIds } from './transaction.ts'

/** The maximum length of a message in bytes. PostgreSQL limits notifications to less than 8,000 bytes. */
const MAX_LENGTH = 7900

/** The message that a node sends to the others with a commit. */
export type NodeMessage = { from: string; commit: Commit; notifiedIds: NotifiedIds }

type NodeMessageJson = {
  from: string
  written: string[]
  changed: string[]
  emittedIn: number[]
  userRows: [string, number[]][]
  news: [NodeTopic, NodeTopicId[]][]
}

/**
 * Encodes a message. A message that is too long does not name the users of changed rows. If it is still too long, it
 * becomes '', which reports a commit without details.
 */
export function encodeNodeMessage(from: string, commit: Commit, news: NotifiedIds): string {
  const { written, changed, emittedIn, userRows } = commit
  const lists = { written: [...written], changed: [...changed], emittedIn: [...emittedIn], news: [...news] }
  for (const rows of [[...userRows], []]) {
    const text = JSON.stringify({ from, ...lists, userRows: rows })
    if (Buffer.byteLength(text) <= MAX_LENGTH) return text
  }
  return ''
}

/** Returns null for '', and for messages that this version cannot read. */
export function decodeNodeMessage(text: string): NodeMessage | null {
  if (text === '') return null
  try {
    const { from, written, changed, emittedIn, userRows, news } = JSON.parse(text) as NodeMessageJson
    const tables = (names: string[]) => new Set(names) as Commit['written']
    const commit = {
      written: tables(written),
      changed: tables(changed),
      userRows: new Map(userRows) as Commit['userRows'],
      emitted: [],
      emittedIn: new Set(emittedIn),
    }
    return { from, commit, notifiedIds: new Map(news) }
  } catch {
    return null
  }
}
