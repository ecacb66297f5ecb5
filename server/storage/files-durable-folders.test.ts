import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/storage.ts'
import { filesInFolder } from './files.ts'

const bytes = Buffer.from('a file')

/**
 * Returns a store in `top`, and the folders that the store has synced. The paths of the folders are relative to
 * `above`.
 */
function openRecorded(above: string, top: string) {
  const synced: string[] = []
  const files = filesInFolder(top, async (path) => void synced.push(relative(above, path) || '.'))
  return { files, synced, takeSynced: () => synced.splice(0) }
}

/** Returns the size of each file that is synced during `work`, and whether `path` existed at that time. */
async function recordFileSyncs(path: string, work: () => Promise<void>) {
  const synced: { size: number; exists: boolean }[] = []
  await using file = await open(import.meta.filename)
  const handles = Object.getPrototypeOf(file) as Pick<FileHandle, 'sync'>
  const { sync } = handles
  handles.sync = async function (this: FileHandle) {
    synced.push({ size: (await this.stat()).size, exists: existsSync(path) })
    await sync.call(this)
  }
  try {
    await work()
  } finally {
    handles.sync = sync
  }
  return synced
}

test('the content of a file is durable before the file exists under its name', async () => {
  const data = await temporaryFolder()
  const files = filesInFolder(data, async () => {})

  const saved = await recordFileSyncs(join(data, 'saved'), () => files.save('saved', bytes))
  const written = await recordFileSyncs(join(data, 'written'), async () => {
    const writer = await files.create('written')
    for (const piece of [bytes, bytes]) await writer.write(piece)
    await writer.finish()
  })

  assert.deepEqual(saved, [{ size: bytes.length, exists: false }])
  assert.deepEqual(written, [{ size: 2 * bytes.length, exists: false }])
})

test('a saved file is durable with every folder that was created for it, up to the first existing one', async () => {
  const above = await temporaryFolder()
  const { files, takeSynced } = openRecorded(above, join(above, 'new', 'data'))

  await files.save('uploads/2/ab/first', bytes)
  const first = takeSynced()
  await files.save('uploads/2/ab/second', bytes)
  const second = takeSynced()
  await files.save('uploads/2/cd/third', bytes)
  const third = takeSynced()

  const file = 'new/data/uploads/2/ab'
  assert.deepEqual(first, ['new/data/uploads/2', 'new/data/uploads', 'new/data', 'new', '.', file])
  assert.deepEqual(second, [file])
  assert.deepEqual(third, ['new/data/uploads/2', 'new/data/uploads', 'new/data', 'new/data/uploads/2/cd'])
})

test('a folder of an earlier process is synced once before a file in it counts as saved', async () => {
  const data = await temporaryFolder()
  await mkdir(join(data, 'uploads/2/ab'), { recursive: true })
  const { files, synced } = openRecorded(data, data)

  await files.save('uploads/2/ab/first', bytes)
  await files.save('uploads/2/ab/second', bytes)

  assert.deepEqual(synced, ['uploads/2', 'uploads', '.', 'uploads/2/ab', 'uploads/2/ab'])
})

test('no file in a folder that concurrent uploads create counts as saved before the folder is durable', async () => {
  const data = await temporaryFolder()
  const [gate, allWait] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let waiting = 0
  const files = filesInFolder(data, async (path) => {
    if (path !== data) return
    waiting += 1
    if (waiting === 3) allWait.resolve()
    await gate.promise
  })
  const saved: string[] = []

  const saving = ['first', 'second', 'third'].map((name) =>
    files.save(`uploads/${name}`, bytes).then(() => saved.push(name)),
  )
  await Promise.race([allWait.promise, ...saving])
  const before = [...saved]
  gate.resolve()
  await Promise.all(saving)

  assert.deepEqual(before, [])
})
