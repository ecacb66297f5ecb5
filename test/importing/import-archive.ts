import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openExport } from '#transfer/import-organization.ts'
import { type Chat, startChat } from '../harness.ts'
import { temporaryFolder } from '../storage.ts'
import { importInto } from './import-into.ts'

/** Unpacks the archive of an export; returns the folder with its tables. */
export async function unpackArchive(bytes: Buffer): Promise<string> {
  const parent = await temporaryFolder()
  const path = join(parent, 'export.tar.gz')
  await writeFile(path, bytes)
  const { folder } = await openExport(path, undefined, parent)
  return folder
}

/** Imports the export into a new server, which closes the present one. */
export async function importFresh(folder: string): Promise<{ chat: Chat } & Awaited<ReturnType<typeof importInto>>> {
  const chat = await startChat()
  return { chat, ...(await importInto(chat, folder)) }
}
