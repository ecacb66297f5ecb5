import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { z } from 'zod'
import type * as shapes from '../importing/shapes.ts'

/** What `importing` reads of a table of the export; a row may have more, for other readers of the format. */
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
export type Tables = Readonly<Record<string, readonly unknown[]>>

/** Writes a file of the export below its folder. */
export async function writeJson(folder: string, name: string, content: unknown): Promise<void> {
  const path = join(folder, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, JSON.stringify(content), { flag: 'wx' })
}
