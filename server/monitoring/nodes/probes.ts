import { setTimeout as timeout } from 'node:timers/promises'
import type { FileStore } from '#storage/files.ts'

/** Milliseconds that a part of the server has to answer. */
const PATIENCE = 5000

/** Returns whether the work succeeds in time. */
export const answers = (work: () => Promise<unknown>): Promise<boolean> =>
  Promise.race([
    work().then(
      (result) => result !== false,
      () => false,
    ),
    timeout(PATIENCE, false, { ref: false }),
  ])

/** A name under which no file is. A store that says so works. */
const PROBE = 'uploads/probe'

/** Returns whether the files can be read. */
export const canReadFiles = async (files: Pick<FileStore, 'findSize' | 'failingSince'>): Promise<boolean> =>
  (files.failingSince?.() ?? null) === null && (await answers(() => files.findSize(PROBE)))
