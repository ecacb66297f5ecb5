import type { Log } from '#lib/log.ts'
import type { Commit, CommitCounters, Emission, NodeTopic, NodeTopicId } from '../storage.ts'
import type { TableName } from '../tables.ts'
import type { NotifiedIds } from './transaction.ts'

/** The message that a node sends to the others: with a commit, or with an event that it publishes without a commit. */
type NodeMessage =
  | { from: string; commit: Commit; notifiedIds: NotifiedIds; published: null }
  | { from: string; published: Emission }

type NodeMessageJson = {
  from: string
  published?: Emission
  written: string[]
  changed: string[]
  emittedIn: number[]
  /** The last id of the log of each organization of `emittedIn`. Versions before NATS do not send it. */
  lastEventIds?: number[]
  userRows: [string, number[]][]
  news: [NodeTopic, NodeTopicId[]][]
}

/**
 * Encodes a message. One that is longer than `maxBytes` does not name the users of changed rows. If it is still too long, it
 * becomes '', which reports a commit without details.
 */
export function encodeNodeMessage(from: string, commit: Commit, news: NotifiedIds, maxBytes: number): string {
  const { written, changed, emittedIn, userRows } = commit
  const events = { emittedIn: [...emittedIn.keys()], lastEventIds: [...emittedIn.values()] }
  const lists = { written: [...written], changed: [...changed], ...events, news: [...news] }
  for (const rows of [[...userRows], []]) {
    const text = JSON.stringify({ from, ...lists, userRows: rows })
    if (Buffer.byteLength(text) <= maxBytes) return text
  }
  return ''
}

/** Encodes a message with an event that is published without a commit. Returns null if it is longer than `maxBytes`. */
export function encodePublished(from: string, published: Emission, maxBytes: number): string | null {
  const text = JSON.stringify({ from, published })
  return Buffer.byteLength(text) <= maxBytes ? text : null
}

/** Returns null for '', and for messages that this version cannot read. */
export function decodeNodeMessage(text: string): NodeMessage | null {
  if (text === '') return null
  try {
    const { from, published, written, changed, emittedIn, lastEventIds, userRows, news } = JSON.parse(
      text,
    ) as NodeMessageJson
    if (published !== undefined) return { from, published }
    const tables = (names: string[]) => new Set(names) as Commit['written']
    const commit = {
      written: tables(written),
      changed: tables(changed),
      userRows: new Map(userRows) as Commit['userRows'],
      emitted: [],
      emittedIn: new Map(emittedIn.map((realmId, at) => [realmId, lastEventIds?.[at] ?? Infinity])),
    }
    return { from, commit, notifiedIds: new Map(news), published: null }
  } catch {
    return null
  }
}

type NodeListener = { about: NodeTopic; listener: (ids: readonly NodeTopicId[]) => void; isOwnToo: boolean }

/**
 * Counts commits and calls the listeners of a storage. If a listener throws, its error is logged and the other
 * listeners are called nevertheless.
 */
export class CommitListeners {
  readonly #counters: CommitCounters
  readonly #log: Log
  readonly #ofCommits: ((commit: Commit) => void)[] = []
  readonly #ofOutsideCommits: (() => void)[] = []
  readonly #ofNodes: NodeListener[] = []
  readonly #ofPublished: ((emission: Emission) => void)[] = []

  constructor(counters: CommitCounters, log: Log) {
    this.#counters = counters
    this.#log = log
  }

  onCommit(listener: (commit: Commit) => void): void {
    this.#ofCommits.push(listener)
  }

  onOutsideCommit(listener: () => void): void {
    this.#ofOutsideCommits.push(listener)
  }

  onNodeNotification(listener: NodeListener): void {
    this.#ofNodes.push(listener)
  }

  onPublished(listener: (emission: Emission) => void): void {
    this.#ofPublished.push(listener)
  }

  guard(job: () => void): void {
    try {
      job()
    } catch (error) {
      this.#log.error({ err: error }, 'A listener failed after a commit')
    }
  }

  /** Announces a commit whose tables are known. */
  announce(commit: Commit): void {
    const { commits, changes, unnamedCommits, unnamedChanges, userRows } = this.#counters
    for (const table of commit.written) increment(commits, table)
    for (const table of commit.changed) increment(changes, table)
    for (const table of commit.written) if (!commit.userRows.has(table)) increment(unnamedCommits, table)
    for (const table of commit.changed) if (!commit.userRows.has(table)) increment(unnamedChanges, table)
    for (const [table, userIds] of commit.userRows) userRows.add(table, userIds)
    for (const listener of this.#ofCommits) this.guard(() => listener(commit))
  }

  /** Announces an event that this node or another one publishes without a commit. */
  announcePublished(emission: Emission): void {
    for (const listener of this.#ofPublished) this.guard(() => listener(emission))
  }

  /** Announces a commit of another process that did not report what it wrote. */
  announceOutsideCommit(): void {
    this.#counters.outsideCommits++
    for (const listener of this.#ofOutsideCommits) this.guard(listener)
  }

  /** Announces a message from a node. `message` is null if this version cannot read it. */
  announceNodeMessage(message: NodeMessage | null, self: string): void {
    if (message === null) return this.announceOutsideCommit()
    const isOwn = message.from === self
    if (message.published !== null) {
      if (!isOwn) this.announcePublished(message.published)
      return
    }
    if (!isOwn) this.announce(message.commit)
    for (const { about, listener, isOwnToo } of this.#ofNodes) {
      const ids = isOwn && !isOwnToo ? undefined : message.notifiedIds.get(about)
      if (ids !== undefined) this.guard(() => listener(ids))
    }
  }
}

const increment = (counts: Map<TableName, number>, table: TableName) => counts.set(table, (counts.get(table) ?? 0) + 1)
