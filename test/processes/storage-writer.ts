// A process that serves the database whose URL is its argument and commits endlessly, with several concurrent
// transactions if the database supports them, some of which fail; it prints each number once its commit is
// acknowledged. The third argument is the number of pages after which the log of a SQLite file is copied into it.

import { writeSync } from 'node:fs'
import type { Transaction } from '#storage/storage.ts'
import { anyEvent } from '../any-event.ts'
import { openTestStorage } from '../storage.ts'

const checkpointAfter = process.argv[4]
const sqliteLog = checkpointAfter === undefined ? {} : { checkpointAfter: Number(checkpointAfter) }
const storage = await openTestStorage({ url: process.argv[2]!, sqliteLog })
const start = Number(process.argv[3] ?? 0)
const WRITERS = 16

await Promise.all(
  Array.from({ length: WRITERS }, async (_, writer) => {
    for (let number = start + writer; ; number += WRITERS) {
      await storage.transaction(async (tx) => {
        await tx
          .insertInto('installation')
          .values({ name: `${number} first`, value: '' })
          .execute()
        tx.emit(1, anyEvent(`${number}`), [1])
        await tx
          .insertInto('installation')
          .values({ name: `${number} second`, value: '' })
          .execute()
      })
      writeSync(1, `${number}\n`)
      if (number % 5 === 0) await storage.transaction(failing).catch(() => undefined)
    }
  }),
)

async function failing(tx: Transaction): Promise<void> {
  await tx.insertInto('installation').values({ name: '-1 first', value: '' }).execute()
  tx.emit(1, anyEvent('-1'), [1])
  throw new Error('undone')
}
