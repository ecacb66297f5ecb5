import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileKind, hostOf, nameOfAddress, readSize } from './media-files.ts'

test('the dimensions of a picture are read, and wrong ones are ignored', () => {
  assert.deepEqual(readSize('840x560'), { width: 840, height: 560 })
  for (const wrong of [undefined, '', '0x5', '5', '1x2x3', '-1x2', '1000000x2']) assert.equal(readSize(wrong), null)
})

test('a file has the name at the end of its address', () => {
  assert.equal(nameOfAddress('/user_uploads/2/ab/x/Plan%20B.pdf?download=1'), 'Plan B.pdf')
  assert.equal(nameOfAddress('/user_uploads/2/100%.txt'), '100%.txt')
  assert.equal(nameOfAddress('https://example.com/'), 'https://example.com/')
  assert.equal(hostOf('https://pictures.example.com/cat.png'), 'pictures.example.com')
})

test('the kind of a file follows from its extension in any case', () => {
  assert.equal(fileKind('clip.MP4'), 'video')
  assert.equal(fileKind('ferries.patch'), 'code')
  assert.equal(fileKind('archive.tar.gz'), 'archive')
  assert.equal(fileKind('README'), 'other')
})
