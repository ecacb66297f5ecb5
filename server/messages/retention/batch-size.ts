/** What a message takes to delete: its topic, and how many people have it. */
export type DeletionCost = { topicKey: string; records: number }

/** Records that go, and people who are told, in one transaction: some milliseconds, in which on SQLite nobody else writes. */
export const MAX_BATCH_COST = 1000

/**
 * How many of the messages are deleted together, counted from the first: as many as `LOAD` allows, and one at least. Each
 * topic among them is an event to all subscribers.
 */
export function batchSizeOf(messages: readonly DeletionCost[], subscribers: number): number {
  const topics = new Set<string>()
  let load = 0
  for (const [count, { topicKey, records }] of messages.entries()) {
    load += records + (topics.has(topicKey) ? 0 : subscribers)
    topics.add(topicKey)
    if (load > MAX_BATCH_COST) return Math.max(count, 1)
  }
  return messages.length
}
