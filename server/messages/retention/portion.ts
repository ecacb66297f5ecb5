/** What a message takes to delete: its topic, and how many people have it. */
export type Burden = { topicKey: string; records: number }

/** Records that go, and people who are told, in one transaction: some milliseconds, in which on SQLite nobody else writes. */
export const LOAD = 1000

/**
 * How many of the messages are deleted together, counted from the first: as many as `LOAD` allows, and one at least. Each
 * topic among them is an event to all subscribers.
 */
export function portionOf(messages: readonly Burden[], subscribers: number): number {
  const topics = new Set<string>()
  let load = 0
  for (const [count, { topicKey, records }] of messages.entries()) {
    load += records + (topics.has(topicKey) ? 0 : subscribers)
    topics.add(topicKey)
    if (load > LOAD) return Math.max(count, 1)
  }
  return messages.length
}
