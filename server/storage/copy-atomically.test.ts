import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/storage.ts'
import { createAtomically } from './copy.ts'

/** Returns a disk that records the synced paths, relative to `folder`, and the target's existence at that time. */
function recordSyncs(folder: string, target: string) {
  const syncs: string[] = []
  const note = async (path: string) =>
    void syncs.push(`${relative(folder, path) || '.'}${existsSync(target) ? ' after the rename' : ''}`)
  return { syncs, disk: { syncFile: note, syncFolder: note } }
}

test('a new file is synced before it gets its name, and the folders of the name afterwards', async () => {
  const folder = await temporaryFolder()
  const target = join(folder, 'exports/today/out.tar.gz')
  const { syncs, disk } = recordSyncs(folder, target)

  const result = await createAtomically(
    target,
    'an export',
    async (unfinished) => {
      const path = join(unfinished, 'organization.tar.gz')
      await writeFile(path, 'an archive')
      return { path, result: 'made' }
    },
    disk,
  )

  assert.equal(result, 'made')
  assert.equal(await readFile(target, 'utf8'), 'an archive')
  assert.deepEqual(syncs, [
    'exports/today/out.tar.gz.unfinished/organization.tar.gz',
    'exports/today after the rename',
    'exports after the rename',
    '. after the rename',
  ])
  assert.deepEqual(await readdir(join(folder, 'exports/today')), ['out.tar.gz'])
})

test('every file and folder in a new folder is synced before it gets its name', async () => {
  const folder = await temporaryFolder()
  const target = join(folder, 'monday')
  const { syncs, disk } = recordSyncs(folder, target)

  await createAtomically(
    target,
    'a backup',
    async (unfinished) => {
      const path = join(unfinished, 'backup')
      await mkdir(join(path, 'uploads/2'), { recursive: true })
      for (const name of ['parley.db', 'uploads/2/first', 'uploads/2/second']) await writeFile(join(path, name), name)
      return { path, result: null }
    },
    disk,
  )

  const made = ['', '/parley.db', '/uploads', '/uploads/2', '/uploads/2/first', '/uploads/2/second']
  assert.deepEqual(syncs.slice(0, -1).sort(), made.map((name) => `monday.unfinished/backup${name}`).sort())
  assert.deepEqual(syncs.slice(-2), ['monday.unfinished/backup', '. after the rename'])
})

test('what a killed process left is replaced, and a running process keeps others away', async () => {
  const folder = await temporaryFolder()
  const [running, killed] = [join(folder, 'running'), join(folder, 'killed')]
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const create = (target: string, name: string, until?: Promise<void>) =>
    createAtomically(target, 'an export', async (unfinished) => {
      const path = join(unfinished, 'organization')
      await mkdir(path)
      await writeFile(join(path, name), '')
      begun.resolve()
      await until
      return { path, result: null }
    })

  const first = create(running, 'first', end.promise)
  await begun.promise
  const second = create(running, 'second')
  await assert.rejects(second, /running\.unfinished belongs to an export that is running\.$/)
  // A killed process leaves its files without holding the lock.
  await cp(`${running}.unfinished`, `${killed}.unfinished`, { recursive: true })
  await create(killed, 'whole')
  end.resolve()
  await first

  assert.deepEqual([await readdir(running), await readdir(killed)], [['first'], ['whole']])
  assert.deepEqual((await readdir(folder)).sort(), ['killed', 'running'])
})
