// A process that serves the database whose URL is its argument and commits without end, several transactions at a time
// where the database can; it says each number once its commit is acknowledged.
import { writeSync } from 'node:fs'
import { openTestStorage } from './storage.ts'

const storage = await openTestStorage({ url: process.argv[2]! })
const start = Number(process.argv[3] ?? 0)

await Promise.all(
  [0, 1, 2, 3].map(async (writer) => {
    for (let number = start + writer; ; number += 4) {
      await storage.transaction(async (tx) => {
        await tx
          .insertInto('installation')
          .values({ name: `${number} first`, value: '' })
          .execute()
        tx.emit(1, { type: `${number}` }, [1])
        await tx
          .insertInto('installation')
          .values({ name: `${number} second`, value: '' })
          .execute()
      })
      writeSync(1, `${number}\n`)
    }
  }),
)
