import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startStorageProcess } from '../../test/processes/storage-process.ts'
import { openTestStorage, sharedDatabaseUrl } from '../../test/storage.ts'
import type { Storage } from './storage.ts'

/** Returns what is stored at one moment: PostgreSQL may still commit transactions of a process that was killed. */
async function stored({
  transaction,
}: Storage): Promise<{ first: number[]; second: number[]; events: number[]; ids: number[] }> {
  const [rows, events] = await transaction(
    async ({ db }) =>
      [
        await db.selectFrom('installation').select('name').execute(),
        await db.selectFrom('events').select(['id', 'type']).orderBy('id').execute(),
      ] as const,
    { isSnapshot: true },
  )
  const ending = (end: string) =>
    rows.filter((row) => row.name.endsWith(end)).map((row) => Number.parseInt(row.name, 10))
  return {
    first: ending('first').sort(ascending),
    second: ending('second').sort(ascending),
    events: events.map((event) => Number(event.type)).sort(ascending),
    ids: events.map((event) => event.id),
  }
}

const ascending = (one: number, other: number) => one - other

test('after repeated kill -9 every acknowledged commit is there, and none is partial', async () => {
  const url = await sharedDatabaseUrl()
  const acknowledged: number[] = []

  for (const [run, milliseconds] of [5, 40, 80, 15, 60].entries()) {
    const writer = await startStorageProcess(url, run * 1_000_000)
    await sleep(milliseconds)
    const fresh = await writer.kill()
    acknowledged.push(...fresh)
    await using storage = await openTestStorage({ url })
    const { first, second, events, ids } = await stored(storage)

    const missing = acknowledged.filter((number) => !first.includes(number))
    assert.ok(fresh.length > 0)
    assert.deepEqual(missing, [])
    assert.deepEqual(second, first)
    assert.deepEqual(events, first)
    assert.deepEqual(
      ids,
      ids.map((_, index) => index + 1),
    )
  }
})
