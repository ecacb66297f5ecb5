import assert from 'node:assert/strict'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/storage.ts'
import { openFilesIn, startVersitygw, type Versitygw, versitygwAbsent } from '../../test/versitygw.ts'
import { type FileStore, openFileStore } from './files.ts'

const bytes = Buffer.from([0, 255, 10])

let store: Promise<Versitygw> | undefined
let prefixes = 0

async function openS3(prefix = `installation/${prefixes++}`): Promise<FileStore> {
  store ??= startVersitygw()
  return openFilesIn((await store).environment({ prefix }), await temporaryFolder())
}

const LOCATIONS = [
  { location: 'memory', open: async () => openFileStore(null), skip: false },
  { location: 'a folder', open: async () => openFileStore(join(await temporaryFolder(), 'files')), skip: false },
  { location: 'S3', open: () => openS3(), skip: versitygwAbsent },
] as const

for (const { location, open, skip } of LOCATIONS) {
  test(`in ${location}, a file is read as it was saved until it is deleted`, { skip }, async () => {
    const files = await open()

    await files.save('avatars/2/ab.png', Buffer.from('old'))
    await files.save('avatars/2/ab.png', bytes)
    const saved = await files.read('avatars/2/ab.png')
    await files.delete('avatars/2/ab.png')

    assert.deepEqual(saved, bytes)
    assert.equal(await files.read('avatars/2/ab.png'), null)
  })

  test(`in ${location}, a name that was never saved has no file`, { skip }, async () => {
    const files = await open()

    await files.save('a/b', bytes)
    await files.delete('a/never')

    for (const name of ['never', 'a/c', 'a/b/c', 'a']) {
      assert.equal(await files.read(name), null, name)
      assert.equal(await files.findSize(name), null, name)
      assert.equal(await files.withSource(name, async () => 'found'), null, name)
    }
  })

  test(`in ${location}, a name that might lead outside is refused`, { skip }, async () => {
    const files = await open()

    for (const name of [
      '',
      '..',
      '../a',
      'a/../../b',
      '/etc/passwd',
      'a//b',
      'a/',
      './a',
      '.a',
      'a\0',
      'a\\b',
      'ä',
      'a~',
    ]) {
      await assert.rejects(files.read(name), /Not a name/, name)
      await assert.rejects(files.save(name, bytes), /Not a name/, name)
    }
  })
}

test('a file that could not be saved leaves nothing behind', async () => {
  const folder = await temporaryFolder()
  const files = openFileStore(folder)
  await files.save('taken/file', bytes)

  await assert.rejects(files.save('taken', bytes))

  assert.deepEqual(await readdir(folder), ['taken'])
  assert.deepEqual(await files.read('taken/file'), bytes)
})

test('changing the bytes afterwards does not change the file in memory', async () => {
  const files = openFileStore(null)
  const mine = Buffer.from('abc')

  await files.save('a', mine)
  mine.fill('x')

  assert.deepEqual(await files.read('a'), Buffer.from('abc'))
})

test('an unfinished file of a killed process is not a file', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'a.1-0~'), 'half')

  const files = openFileStore(folder)

  await assert.rejects(files.read('a.1-0~'), /Not a name/)
  assert.equal(await files.read('a'), null)
})

for (const { location, open, skip } of LOCATIONS) {
  test(`in ${location}, a file that is written in pieces exists when it is finished, and any range of it can be read`, {
    skip,
  }, async () => {
    const files = await open()
    const writer = await files.create('uploads/2/ab')

    await writer.write(Buffer.from('hello '))
    await writer.write(Buffer.from('world'))
    const before = await files.findSize('uploads/2/ab')
    await writer.finish()

    assert.equal(before, null)
    assert.equal(await files.findSize('uploads/2/ab'), 11)
    assert.equal(await text(files.stream('uploads/2/ab', { start: 4, end: 8 })), 'o wo')
    assert.equal(await text(files.stream('uploads/2/ab', { start: 4, end: 4 })), '')
    assert.deepEqual(await Readable.from(files.list('uploads')).toArray(), ['uploads/2/ab'])
    assert.deepEqual(await Readable.from(files.list('avatars')).toArray(), [])
  })

  test(`in ${location}, a large file is complete in every range, and its source has all bytes`, { skip }, async () => {
    const files = await open()
    const [mebibyte, count] = [1024 ** 2, 70]
    const writer = await files.create('uploads/2/large')

    for (let at = 0; at < count; at++) await writer.write(Buffer.alloc(mebibyte, at))
    const before = await Readable.from(files.list('uploads')).toArray()
    await writer.finish()

    assert.deepEqual(before, [])
    assert.equal(await files.findSize('uploads/2/large'), count * mebibyte)
    const range = await buffer(files.stream('uploads/2/large', { start: 32 * mebibyte - 1, end: 64 * mebibyte + 1 }))
    assert.deepEqual(
      [range.length, range[0], range.at(1), range.at(-2), range.at(-1)],
      [32 * mebibyte + 2, 31, 32, 63, 64],
    )
    const size = await files.withSource('uploads/2/large', async (source) =>
      typeof source === 'string' ? (await stat(source)).size : source.length,
    )
    assert.equal(size, count * mebibyte)
  })

  test(`in ${location}, an abandoned file does not exist`, { skip }, async () => {
    const files = await open()
    const writer = await files.create('uploads/2/ab')
    await writer.write(bytes)

    await writer.abandon()

    assert.equal(await files.read('uploads/2/ab'), null)
    assert.deepEqual(await Readable.from(files.list('uploads')).toArray(), [])
  })
}

test('unfinished files of an earlier process are listed and can be deleted, those of this process are not listed', async () => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'uploads'))
  await writeFile(join(folder, 'uploads', 'a.1-0~'), 'half')
  const files = openFileStore(folder)
  const writer = await files.create('uploads/b')

  const listed = await Readable.from(files.list('uploads')).toArray()
  await files.delete('uploads/a.1-0~')
  await writer.finish()

  assert.deepEqual(listed, ['uploads/a.1-0~'])
  assert.deepEqual(await readdir(join(folder, 'uploads')), ['b'])
})

test('unfinished uploads of another process to S3 are listed and can be deleted', {
  skip: versitygwAbsent,
}, async () => {
  const killed = await openS3('installation/killed')
  const files = await openS3('installation/killed')
  const writer = await killed.create('uploads/2/large')
  for (let at = 0; at < 33; at++) await writer.write(Buffer.alloc(1024 ** 2))

  const listed = await Readable.from(files.list('uploads')).toArray()
  for (const name of listed) await files.delete(name)

  assert.match(listed.join(), /^uploads\/2\/large\.upload-[\w-]+~$/)
  assert.deepEqual(await Readable.from(files.list('uploads')).toArray(), [])
  await assert.rejects(writer.finish())
  assert.equal(await files.findSize('uploads/2/large'), null)
})

test('foreign files in the folder are ignored', async () => {
  const folder = await temporaryFolder()
  const files = openFileStore(folder)
  await files.save('uploads/2/ab', bytes)
  for (const name of ['.nfs000001', '.DS_Store', 'a copy', 'a copy~'])
    await writeFile(join(folder, 'uploads', name), '')

  const listed = await Readable.from(files.list('uploads')).toArray()

  assert.deepEqual(listed, ['uploads/2/ab'])
})
