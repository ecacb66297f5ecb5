import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectLog } from '../../test/collected-log.ts'
import { openTestStorage } from '../../test/storage.ts'
import { PAGE } from './queries.ts'
import { openTail } from './tail.ts'

test('a tail reads on a page at a time, however far it is behind, and what was read can be looked through', async () => {
  await using storage = await openTestStorage()
  const emit = (count: number) =>
    storage.transaction(async (tx) => {
      for (let number = 1; number <= count; number++) tx.emit(1, { type: 'message', number }, [7])
    })
  const tail = openTail({ db: storage.db, log: collectLog().log, realmId: 1, startId: 0 })
  const pull = async () => {
    const { fresh, isAtEnd } = await tail.pull()
    return [fresh.length, isAtEnd, tail.lastId, (await tail.after(1)).length]
  }
  await emit(1)
  await tail.pull()

  await emit(2 * PAGE + 7)
  const pulled = [await pull(), await pull(), await pull()]

  assert.deepEqual(pulled, [
    [PAGE, false, PAGE + 1, PAGE],
    [PAGE, false, 2 * PAGE + 1, PAGE],
    [7, true, 2 * PAGE + 8, PAGE],
  ])
})
