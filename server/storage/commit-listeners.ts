import type { Log } from '#lib/runtime/log.ts'
import type { NodeMessage } from './node-message.ts'
import type { Commit, CommitCounters, NodeTopic, NodeTopicId } from './storage.ts'
import type { TableName } from './tables.ts'

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

  /** Announces a commit of another process that did not report what it wrote. */
  announceOutsideCommit(): void {
    this.#counters.outsideCommits++
    for (const listener of this.#ofOutsideCommits) this.guard(listener)
  }

  /** Announces a message from a node. `message` is null if this version cannot read it. */
  announceNodeMessage(message: NodeMessage | null, self: string): void {
    if (message === null) return this.announceOutsideCommit()
    const isOwn = message.from === self
    if (!isOwn) this.announce(message.commit)
    for (const { about, listener, isOwnToo } of this.#ofNodes) {
      const ids = isOwn && !isOwnToo ? undefined : message.notifiedIds.get(about)
      if (ids !== undefined) this.guard(() => listener(ids))
    }
  }
}

const increment = (counts: Map<TableName, number>, table: TableName) => counts.set(table, (counts.get(table) ?? 0) + 1)
