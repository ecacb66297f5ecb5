import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { z } from 'zod'
import { batches } from '#storage/sql.ts'
import type * as shapes from '../importing/shapes.ts'

/** A row with the columns that `importing` reads. It may have further columns for other readers of the format. */
type Read<Shape extends z.ZodType> = z.input<Shape> & Readonly<Record<string, unknown>>

export type RealmRow = Read<typeof shapes.realmRow>
export type UserRow = Read<typeof shapes.userRow>
export type ChannelRow = Read<typeof shapes.channelRow>
export type RecipientRow = Read<typeof shapes.recipientRow>
export type SubscriptionRow = Read<typeof shapes.subscriptionRow>
export type GroupRow = Read<typeof shapes.groupRow>
export type MessageRow = Read<typeof shapes.messageRow>
export type RecordRow = Read<typeof shapes.recordRow>
export type AttachmentRow = Read<typeof shapes.attachmentRow>

/** Tables by their names in the format. */
export type ExportTables = Readonly<Record<string, readonly unknown[]>>

/** Writes a file of tables into the folder of the export. */
export async function writeTables(folder: string, name: string, tables: ExportTables): Promise<void> {
  await write(folder, name, textOfTables(tables))
}

/** Writes a file that contains a single list. */
export async function writeList(folder: string, name: string, rows: readonly unknown[]): Promise<void> {
  await write(folder, name, textOfList(rows))
}

/** Writes a file that contains the text. */
export const writeText = (folder: string, name: string, text: string): Promise<void> => write(folder, name, [text])

async function write(folder: string, name: string, text: Iterable<string>): Promise<void> {
  const path = join(folder, name)
  await mkdir(dirname(path), { recursive: true })
  await pipeline(Readable.from(text), createWriteStream(path, { flags: 'wx' }))
}

/** The text is written in pieces, because a string cannot exceed half a gigabyte. */
function* textOfTables(tables: ExportTables): Generator<string> {
  for (const [index, [name, rows]] of Object.entries(tables).entries()) {
    yield `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`
    yield* textOfList(rows)
  }
  yield '}'
}

const ROWS_AT_ONCE = 100

function* textOfList(rows: readonly unknown[]): Generator<string> {
  yield '['
  let separator = ''
  for (const batch of batches(rows, ROWS_AT_ONCE)) {
    yield separator + batch.map((row) => JSON.stringify(row)).join(',')
    separator = ','
  }
  yield ']'
}

type Emoji = { emojiName: string; emojiCode: string; reactionType: string }

/** Returns the emoji columns of the format. The format has a separate type for the `zulip` emoji. */
export function toEmojiColumns({ emojiName, emojiCode, reactionType }: Emoji) {
  if (reactionType === 'service_extra_emoji')
    return { emoji_name: 'zulip', emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' }
  return { emoji_name: emojiName, emoji_code: emojiCode, reaction_type: reactionType }
}
