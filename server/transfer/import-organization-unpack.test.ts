import assert from 'node:assert/strict'
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { create } from 'tar'
import { temporaryFolder } from '../../test/storage.ts'
import { openExport } from './import-organization.ts'

/** Creates a folder for unpacked archives, and a folder with an export. `pack` makes an archive of it. */
async function places() {
  const [from, parent] = [await temporaryFolder(), await temporaryFolder()]
  await mkdir(`${from}/export`)
  await writeFile(`${from}/export/realm.json`, '{}')
  const archive = `${from}/export.tar.gz`
  const pack = async (names = ['export'], options = {}) => {
    await create({ file: archive, cwd: from, gzip: true, ...options }, names)
    return archive
  }
  return { from, parent, pack }
}

const LIMITS = { files: 100, bytes: 10_000 }

test('an unpacked archive exists as long as it is being read', async () => {
  const { parent, pack } = await places()
  const archive = await pack()

  const opened = await openExport(archive, LIMITS, parent)
  const during = await readdir(opened.folder)
  await opened[Symbol.asyncDispose]()

  assert.deepEqual(during, ['realm.json'])
  assert.deepEqual(await readdir(parent), [])
})

test('links, paths that lead outside, and endless archives are refused, and nothing of them is left', async () => {
  const { from, parent, pack } = await places()
  const refused = async (complaint: RegExp, limits = LIMITS) => {
    await assert.rejects(openExport(`${from}/export.tar.gz`, limits, parent), { message: complaint })
    assert.deepEqual(await readdir(parent), [])
  }
  await symlink('/etc/passwd', `${from}/export/link`)
  await pack()
  await refused(/contains export\/link, which is neither a file nor a folder\.$/)

  await pack(['export/realm.json'], { prefix: '../outside', preservePaths: true })
  await refused(/which is outside of it\.$/)

  await pack(['export/realm.json'])
  await refused(/exceeds the limits for exports\.$/, { files: 100, bytes: 1 })
  await refused(/exceeds the limits for exports\.$/, { files: 0, bytes: 10_000 })
})

test('files that are not archives, truncated archives, and archives of something else have different messages', async () => {
  const { from, parent, pack } = await places()
  await writeFile(`${from}/text.tar.gz`, 'this is only a text that is long enough to be read as something')
  await writeFile(`${from}/export/large`, Buffer.alloc(5000, 'x'))
  const whole = await pack()
  const { readFile } = await import('node:fs/promises')
  await writeFile(`${from}/cut.tar.gz`, (await readFile(whole)).subarray(0, 60))
  await mkdir(`${from}/other`)
  await writeFile(`${from}/other/readme`, 'x')

  const open = (name: string) => openExport(`${from}/${name}`, LIMITS, parent)

  await assert.rejects(open('text.tar.gz'), /not a complete \.tar\.gz archive/)
  await assert.rejects(open('cut.tar.gz'), /not a complete \.tar\.gz archive/)
  await assert.rejects(open('nothing.tar.gz'), /nothing\.tar\.gz does not exist/)
  await assert.rejects(open('other'), /contains no realm\.json/)
  assert.deepEqual(await readdir(parent), [])
})
