import { join } from 'node:path'
import type { ExportData } from './read-export.ts'
import {
  type MessageRow,
  messageRow,
  type ReactionRow,
  reactionRow,
  recordRow,
  type SubmessageRow,
  submessageRow,
} from './shapes.ts'
import { hasTable, readRows, readTables } from './tables.ts'

export type MessageFile = {
  name: string
  messages: MessageRow[]
  records: { user_profile: number; message: number; flags_mask: number }[]
  reactions: ReactionRow[]
  /** Null if the file has no such table. */
  submessages: SubmessageRow[] | null
}

/** Yields the files one after another; only one of them is in memory at a time. */
export async function* readMessageFiles({
  folder,
  messageFiles,
}: Pick<ExportData, 'folder' | 'messageFiles'>): AsyncGenerator<MessageFile> {
  for (const name of messageFiles) {
    const tables = await readTables(join(folder, name), name)
    yield {
      name,
      messages: readRows(tables, 'zerver_message', messageRow),
      records: readRows(tables, 'zerver_usermessage', recordRow),
      reactions: readRows(tables, 'zerver_reaction', reactionRow),
      submessages: hasTable(tables, 'zerver_submessage') ? readRows(tables, 'zerver_submessage', submessageRow) : null,
    }
  }
}
