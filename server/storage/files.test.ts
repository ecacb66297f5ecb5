import assert from 'node:assert/strict'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/storage.ts'
import { openFileStore } from './files.ts'

const bytes = Buffer.from([0, 255, 10])

for (const location of ['memory', 'a folder']) {
  const open = async () => openFileStore(location === 'memory' ? null : join(await temporaryFolder(), 'files'))

  test(`in ${location}, a file is read as it was saved until it is deleted`, async () => {
    const files = await open()

    await files.save('avatars/2/ab.png', Buffer.from('old'))
    await files.save('avatars/2/ab.png', bytes)
    const saved = await files.read('avatars/2/ab.png')
    await files.delete('avatars/2/ab.png')

    assert.deepEqual(saved, bytes)
    assert.equal(await files.read('avatars/2/ab.png'), null)
  })

  test(`in ${location}, a name that was never saved has no file`, async () => {
    const files = await open()

    await files.save('a/b', bytes)
    await files.delete('a/never')

    for (const name of ['never', 'a/c', 'a/b/c', 'a']) assert.equal(await files.read(name), null, name)
  })

  test(`in ${location}, a name that might lead outside is refused`, async () => {
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

for (const location of ['memory', 'a folder']) {
  const open = async () => openFileStore(location === 'memory' ? null : join(await temporaryFolder(), 'files'))

  test(`in ${location}, a file that is written in pieces exists when it is finished, and any range of it can be read`, async () => {
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

  test(`in ${location}, an abandoned file does not exist`, async () => {
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

test('foreign files in the folder are ignored', async () => {
  const folder = await temporaryFolder()
  const files = openFileStore(folder)
  await files.save('uploads/2/ab', bytes)
  for (const name of ['.nfs000001', '.DS_Store', 'a copy', 'a copy~'])
    await writeFile(join(folder, 'uploads', name), '')

  const listed = await Readable.from(files.list('uploads')).toArray()

  assert.deepEqual(listed, ['uploads/2/ab'])
})
