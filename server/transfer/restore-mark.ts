import { existsSync, readFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import type { Settings } from '#config.ts'
import { OperatorError } from '#lib/errors.ts'
import { commandLine } from '#lib/process.ts'
import { syncFolder } from '#storage/sync-to-disk.ts'

// The mark of a restore that is not complete, in DATA_DIR: no server starts there, and the next restore continues.

/** The file that marks a restore that is not complete. */
export const MARK = 'restore.unfinished'

const markJson = z.object({
  /** The path that the command was given, without keys; null for the newest backup in BACKUP_DIR. */
  backup: z.string().nullable(),
  /** The folder to which present data is moved before anything is restored; null if there was none. */
  aside: z.string().nullable(),
  /** True once nothing is left to move: everything that is there comes from the backup. */
  is_moved: z.boolean(),
  /** Identifies this restore in the database that it fills. Marks of earlier versions have none. */
  id: z.string().default(''),
})

type Mark = z.infer<typeof markJson>

/** Refuses to start a server in a folder in which a restore was interrupted. */
export function requireCompleteRestore({ DATA_DIR }: Settings): void {
  const mark = findMark(DATA_DIR)
  if (mark === null) return
  throw new OperatorError(
    `A restore into ${resolve(DATA_DIR)} was interrupted, so its data is incomplete. Repeat it:\n` +
      `  ${commandLine(`backup restore${mark.backup === null ? '' : ` '${mark.backup}'`}`)}\n` +
      `To give it up, empty the folder${mark.aside === null ? '' : `; the data from before is in ${mark.aside}`}.`,
  )
}

export function findMark(dataDir: string): Mark | null {
  const path = join(dataDir, MARK)
  if (!existsSync(path)) return null
  try {
    return markJson.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    // The disk was full when the mark was written, before anything was restored or moved.
    return { backup: 'PATH', aside: null, is_moved: false, id: '' }
  }
}

export async function saveMark(dataDir: string, mark: Mark): Promise<void> {
  const path = join(dataDir, MARK)
  await using file = await open(`${path}~`, 'w', 0o600)
  await file.writeFile(JSON.stringify(mark))
  await file.sync()
  await rename(`${path}~`, path)
  await syncFolder(dataDir)
}
