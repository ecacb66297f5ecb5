import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { namesIn } from '../../test/files.ts'
import { temporaryFolder } from '../../test/storage.ts'
import { copyFiles } from './copy.ts'
import { type FileStore, openFileStore } from './files.ts'

const FILES = 200

test('after one file cannot be written, no further files are written', async () => {
  const from = openFileStore(null)
  for (let number = 0; number < FILES; number++) await from.save(`uploads/2/${number}`, Buffer.from('bytes'))
  const folder = await temporaryFolder()
  const store = openFileStore(folder)
  const to: FileStore = {
    ...store,
    async create(name) {
      if (name === 'uploads/2/10') throw new Error('no space left')
      return store.create(name)
    },
  }

  await assert.rejects(copyFiles(from, to), /no space left/)
  const events = await namesIn(folder)
  await sleep(200)

  assert.ok(events.length < FILES / 2)
  assert.deepEqual(await namesIn(folder), events)
})
