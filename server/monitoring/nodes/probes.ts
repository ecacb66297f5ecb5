import { inTime } from '#lib/clock.ts'
import type { FileStore } from '#storage/files.ts'

/** Milliseconds that a part of the server has to answer. */
const PATIENCE = 5000

/** Returns whether the work succeeds in time, without returning false. */
export const answers = async (work: () => Promise<unknown>, patience = PATIENCE): Promise<boolean> =>
  (await inTime(async () => (await work()) !== false, patience)) ?? false

/** A name under which no file is. A store that says so works. */
const PROBE = 'uploads/probe'

/** Returns whether the files can be read. */
export const canReadFiles = async (files: Pick<FileStore, 'findSize' | 'failingSince'>): Promise<boolean> =>
  (files.failingSince?.() ?? null) === null && (await answers(() => files.findSize(PROBE)))
