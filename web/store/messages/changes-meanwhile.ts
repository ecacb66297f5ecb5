import type { Message } from './message.ts'
import type { Narrow } from './narrow.ts'
import type { Timeline } from './timeline.ts'

/**
 * Returns the changed message, or null if it is no longer in the narrow. It may be applied to the same message twice.
 */
type Change = (message: Message, narrow: Narrow) => Message | null

/** The changes since each request that has no response yet. */
const logs = new Set<Change[]>()

/** Records a change by an event for the requests that have no response yet. */
export function noteChange(change: Change): void {
  for (const log of logs) log.push(change)
}

/**
 * Loads messages of a narrow, and applies the changes that events report while the request runs: the server may have
 * read the messages before them.
 */
export async function withChangesMeanwhile(narrow: Narrow, load: () => Promise<Timeline>): Promise<Timeline> {
  const log: Change[] = []
  logs.add(log)
  try {
    const timeline = await load()
    return log.length === 0 ? timeline : { ...timeline, messages: changed(timeline.messages, narrow, log) }
  } finally {
    logs.delete(log)
  }
}

const changed = (messages: readonly Message[], narrow: Narrow, log: readonly Change[]): Message[] =>
  messages.flatMap(
    (message) => log.reduce<Message | null>((known, change) => known && change(known, narrow), message) ?? [],
  )
