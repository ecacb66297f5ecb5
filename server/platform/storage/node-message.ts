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
  news: [NodeTopic, NodeTopicId[]][]
}

/** Encodes a message. A message that is too long becomes '', which reports a commit without details. */
export function encodeNodeMessage(from: string, { written, changed, emittedIn }: Commit, news: NotifiedIds): string {
  const lists = { written: [...written], changed: [...changed], emittedIn: [...emittedIn], news: [...news] }
  const text = JSON.stringify({ from, ...lists })
  return Buffer.byteLength(text) > MAX_LENGTH ? '' : text
}

/** Returns null for '', and for messages that this version cannot read. */
export function decodeNodeMessage(text: string): NodeMessage | null {
  if (text === '') return null
  try {
    const { from, written, changed, emittedIn, news } = JSON.parse(text) as NodeMessageJson
    const tables = (names: string[]) => new Set(names) as Commit['written']
    const commit = { written: tables(written), changed: tables(changed), emitted: [], emittedIn: new Set(emittedIn) }
    return { from, commit, notifiedIds: new Map(news) }
  } catch {
    return null
  }
}
