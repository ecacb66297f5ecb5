import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRealms } from '#realms/queries.ts'
import { type FileStore, openFileStore } from '#storage/files.ts'
import { storedFiles } from '../../../test/files.ts'
import { startChat } from '../../../test/harness.ts'
import { harbour, writeExport } from '../../../test/importing/export-builder.ts'
import { importInto, messagesOf } from '../../../test/importing/import-into.ts'
import { smallPng } from '../../../test/pictures.ts'
import { importOrganization } from '../import-organization.ts'

/** Returns a file store whose disk is full at the `number`th write of a file. */
function fullAt(number: number): FileStore {
  const store = openFileStore(null)
  let written = 0
  const write = () => {
    written += 1
    if (written === number) throw new Error('no space left')
  }
  return {
    ...store,
    async save(name, bytes) {
      write()
      await store.save(name, bytes)
    },
    async create(name) {
      write()
      return store.create(name)
    },
  }
}

test('a full disk during the copy of files leaves neither files nor rows', async () => {
  const files = fullAt(4)
  const chat = await startChat({ files })
  const folder = await writeExport(harbour(smallPng))

  await assert.rejects(importInto(chat, folder), /no space left/)

  const { db } = chat.app.services
  assert.deepEqual(
    (await findRealms(db)).filter(({ name }) => name === 'Harbour'),
    [],
  )
  for (const kind of ['uploads', 'avatars', 'emoji']) assert.deepEqual(await storedFiles(chat, kind), [])
})

test('a database failure at the last row leaves nothing, and the next attempt succeeds', async () => {
  const chat = await startChat()
  const folder = await writeExport(harbour(smallPng))
  const { storage, services } = chat.app
  const failing = {
    db: storage.db,
    transaction: ((work) =>
      storage.transaction(async (tx) => {
        await work(tx)
        throw new Error('the connection ended')
      })) as typeof storage.transaction,
  }

  const attempt = importOrganization({ storage: failing, files: services.files, folder, subdomain: 'harbour' })
  await assert.rejects(attempt, /the connection ended/)
  const left = await services.db.selectFrom('messages').select('id').execute()
  const { person } = await importInto(chat, folder)

  assert.deepEqual(left, [])
  assert.equal((await messagesOf(await person('mara'))).length, 8)
})
