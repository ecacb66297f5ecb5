import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startStorageProcess } from '../../test/processes/storage-process.ts'
import { openTestStorage, sharedDatabaseUrl } from '../../test/storage.ts'
import { CannotOpenStorage, type Storage } from './storage.ts'

const note = (storage: Storage, name: string) =>
  storage.transaction((tx) => tx.insertInto('installation').values({ name, value: '' }).execute())

test('a second server on a database is refused, with the id of the first process', async () => {
  const url = await sharedDatabaseUrl()
  await using _first = await openTestStorage({ url })

  const second = openTestStorage({ url })

  await assert.rejects(second, (error) => {
    assert.ok(error instanceof CannotOpenStorage)
    assert.match(error.message, new RegExp(`already being served by process ${process.pid}\\b`))
    return true
  })
})

test('the URL of another kind of database is not taken for a path', async () => {
  const opening = openTestStorage({ url: 'mysql://localhost/parley' })

  await assert.rejects(opening, (error) => {
    assert.ok(error instanceof CannotOpenStorage)
    assert.match(error.message, /no databases at mysql:$/)
    return true
  })
})

test('another server can serve the database once the first has closed it', async () => {
  const url = await sharedDatabaseUrl()
  const first = await openTestStorage({ url })
  await note(first, 'a')
  await first.close()

  await using second = await openTestStorage({ url })

  assert.deepEqual(await second.db.selectFrom('installation').select('name').execute(), [{ name: 'a' }])
})

test('the lock of a killed server is taken over', async () => {
  const url = await sharedDatabaseUrl()
  const first = await startStorageProcess(url, 0)
  const refused = await openTestStorage({ url }).catch((error) => error)
  await first.kill()

  await using storage = await openTestStorage({ url })
  await note(storage, 'after')

  assert.match(refused.message, new RegExp(`process ${first.pid}\\b`))
})

test('a command works beside the server: each sees the commits of the other', async () => {
  const url = await sharedDatabaseUrl()
  await using server = await openTestStorage({ url })
  await using command = await openTestStorage({ url, serve: false })

  await note(command, 'by the command')
  await note(server, 'by the server')

  for (const { db } of [server, command]) {
    const rows = await db.selectFrom('installation').select('name').orderBy('name').execute()
    assert.deepEqual(rows, [{ name: 'by the command' }, { name: 'by the server' }])
  }
})

test('the server notices commits of a command, apart from its own', async () => {
  const url = await sharedDatabaseUrl()
  await using server = await openTestStorage({ url })
  await using command = await openTestStorage({ url, serve: false })
  let noticed = 0
  server.onOutsideCommit(() => noticed++)

  await note(server, 'by the server')
  await new Promise((resolve) => setTimeout(resolve, 500))
  const noticedOfItself = noticed
  const outside = new Promise<void>((resolve) => server.onOutsideCommit(resolve))
  await note(command, 'by the command')
  await outside

  assert.equal(noticedOfItself, 0)
})

test('concurrent transactions of a server and of commands all succeed', async () => {
  const url = await sharedDatabaseUrl()
  await using server = await openTestStorage({ url })
  await using command = await openTestStorage({ url, serve: false })
  await using other = await openTestStorage({ url, serve: false })

  await Promise.all(
    [server, command, other].map(async (storage, index) => {
      for (let requester = 0; requester < 20; requester++) await note(storage, `${index} ${requester}`)
    }),
  )

  const rows = await server.db.selectFrom('installation').select('name').execute()
  assert.equal(rows.length, 60)
})

test('a command creates a new database, and a server can serve it at once', async () => {
  const url = await sharedDatabaseUrl()
  await using command = await openTestStorage({ url, serve: false })
  await note(command, 'first')

  await using server = await openTestStorage({ url })

  assert.deepEqual(await server.db.selectFrom('installation').select('name').execute(), [{ name: 'first' }])
})

test('a closed storage refuses all work, and can be closed again', async () => {
  const storage = await openTestStorage()
  assert.equal(await storage.isReady(), true)

  await storage.close()
  await storage.close()

  assert.equal(await storage.isReady(), false)
  await assert.rejects(note(storage, 'late'))
})
