import type { Message } from './message.ts'
import type { Narrow } from './narrow.ts'
import type { Timeline } from './timeline.ts'

/**
 * Changes a message. Returns null if the message is no longer in the narrow. May be called twice for the same message.
 */
type Change = (message: Message, narrow: Narrow) => Message | null

/** A log for each request that has no response yet, with the changes since its start. */
const logs = new Set<Change[]>()

/** Records a change that an event reports, for the requests that have no response yet. */
export function noteChange(change: Change): void {
  for (const log of logs) log.push(change)
}

/**
 * Loads messages of a narrow, and applies the changes that events report while the request runs. The server may have
 * read the messages before these changes.
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
