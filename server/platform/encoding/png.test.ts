import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32, inflateSync } from 'node:zlib'
import { drawPng } from './png.ts'

/** The parts of a PNG file by their types; their checksums are checked. */
function chunksOf(png: Buffer): Map<string, Buffer> {
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const body = png.subarray(at + 4, at + 8 + length)
    assert.equal(png.readUInt32BE(at + 8 + length), crc32(body))
    chunks.set(body.toString('latin1', 0, 4), body.subarray(4))
    at += 12 + length
  }
  return chunks
}

test('a figure is drawn in two shades, its edges smooth', () => {
  const png = drawPng(4, (x) => x < 0.375)

  assert.equal(png.toString('latin1', 0, 8), '\x89PNG\r\n\x1a\n')
  const chunks = chunksOf(png)
  assert.deepEqual([...chunks.keys()], ['IHDR', 'IDAT', 'IEND'])
  assert.deepEqual(chunks.get('IHDR'), Buffer.from([0, 0, 0, 4, 0, 0, 0, 4, 8, 0, 0, 0, 0]))
  const row = [0, 0x9a, 0xbf, 0xe4, 0xe4]
  assert.deepEqual([...inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0))], [...row, ...row, ...row, ...row])
})
