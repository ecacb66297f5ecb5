/** The properties that determine the cost of deleting a message: its topic, and the number of user records of it. */
export type DeletionCost = { topicKey: string; records: number }

/**
 * The maximum number of deleted records and event recipients per transaction. Such a transaction takes a few
 * milliseconds, during which SQLite blocks other writers.
 */
export const MAX_BATCH_COST = 1000

/**
 * Returns the number of messages from the start of the list that are deleted together. These are as many as
 * `MAX_BATCH_COST` allows, but at least one. Each topic costs one event to all subscribers.
 */
export function batchSizeOf(messages: readonly DeletionCost[], subscribers: number): number {
  const topics = new Set<string>()
  let cost = 0
  for (const [count, { topicKey, records }] of messages.entries()) {
    cost += records + (topics.has(topicKey) ? 0 : subscribers)
    topics.add(topicKey)
    if (cost > MAX_BATCH_COST) return Math.max(count, 1)
  }
  return messages.length
}
