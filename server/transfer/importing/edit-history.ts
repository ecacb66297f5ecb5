import { normalizeTopic } from '#channels/topic.ts'
import { type EditEntry, isMove } from '#messages/message.ts'
import { truncateTopic } from '#rules/topics.ts'
import { toStorableText } from '#storage/sql.ts'
import type { ImportReport } from './import-report.ts'
import { ImportError, readList } from './read-export.ts'
import { editRow, type MessageRow } from './shapes.ts'

/** Returns the topic in the stored form: without invisible characters, and cut to the maximum length. */
export function requireTopicOf(given: string): string {
  return truncateTopic(normalizeTopic(toStorableText(given.replace(/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu, ''))))
}

type ImportedHistory = { editHistory: string | null; lastEditedAt: number | null; lastMovedAt: number | null }

type Parts = {
  fileName: string
  report: ImportReport
  userId(oldId: number): number | undefined
  channelId(oldId: number): number | undefined
  rewrite(text: string): string
  render(text: string): Promise<string>
}

/** Returns the entries in the stored form, newest first, with the earlier content rendered again. */
export async function importHistory(message: MessageRow, parts: Parts): Promise<ImportedHistory> {
  const entries: EditEntry[] = []
  for (const row of readEntries(message, parts)) {
    const userId = parts.userId(row.user_id ?? 0)
    if (userId === undefined) {
      parts.report.add('edits of messages', 'the export does not say who made them')
      continue
    }
    const previous = row.prev_content ? parts.rewrite(row.prev_content) : null
    const [from, to] = [row.prev_topic ?? row.prev_subject, row.topic]
    const [old, next] = [parts.channelId(row.prev_stream ?? 0), parts.channelId(row.stream ?? 0)]
    entries.push({
      user_id: userId,
      timestamp: Math.floor(row.timestamp),
      ...(previous !== null && { prev_content: previous, prev_rendered_content: await parts.render(previous) }),
      ...(typeof from === 'string' && { prev_topic: requireTopicOf(from) }),
      ...(typeof from === 'string' && { topic: requireTopicOf(to ?? '') }),
      ...(old !== undefined && next !== undefined && { prev_stream: old, stream: next }),
    })
  }
  const messages = entries.filter(({ prev_content, prev_topic, prev_stream }) =>
    [prev_content, prev_topic, prev_stream].some((before) => before !== undefined),
  )
  if (messages.length === 0)
    return { editHistory: null, lastEditedAt: message.last_edit_time ?? null, lastMovedAt: null }
  return {
    editHistory: JSON.stringify(messages),
    lastEditedAt: latest(messages.filter(({ prev_content }) => prev_content !== undefined)),
    lastMovedAt: latest(messages.filter(isMove)),
  }
}

const latest = (entries: readonly EditEntry[]) =>
  entries.length === 0 ? null : Math.max(...entries.map(({ timestamp }) => timestamp))

/** Older versions stored only the original topic of a move: the new topic is in the later entry, or in the message. */
function readEntries(message: MessageRow, { fileName }: Parts) {
  if (!message.edit_history) return []
  const position = `${fileName}, edit_history of message ${message.id}`
  let topic = message.subject ?? message.topic_name ?? ''
  return readList(parse(message.edit_history, position), position, editRow).map((row) => {
    const entry = { ...row, topic: row.topic ?? topic }
    topic = row.prev_topic ?? row.prev_subject ?? topic
    return entry
  })
}

function parse(text: string, position: string): unknown[] {
  try {
    const rows: unknown = JSON.parse(text)
    if (Array.isArray(rows)) return rows
  } catch {
    // The error is reported below, as for all other values that are not lists.
  }
  throw new ImportError(`${position}: not a list.`)
}
