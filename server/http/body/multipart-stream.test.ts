import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '#lib/errors.ts'
import { fc } from '../../../test/fast-check.ts'
import { sized } from '../../../test/size.ts'
import { parseMultipart, streamFiles } from './multipart.ts'

const TYPE = 'multipart/form-data; boundary=cut'

type Read = { fields: Record<string, string>; files: { field: string; fileName: string; bytes: string }[] }

/**
 * Parses a body that arrives in chunks of these lengths and a last chunk with the rest. Returns the content or the
 * refusal.
 */
async function stream(body: Buffer, lengths: readonly number[]): Promise<Read | string> {
  async function* chunks() {
    let at = 0
    for (const length of lengths) {
      yield body.subarray(at, at + length)
      at += length
    }
    if (at < body.length) yield body.subarray(at)
  }
  const fields = new Map<string, string>()
  const files: Read['files'] = []
  try {
    for await (const piece of streamFiles(chunks(), TYPE, fields)) {
      if (!Buffer.isBuffer(piece)) files.push({ field: piece.field, fileName: piece.fileName, bytes: '' })
      else files.at(-1)!.bytes += piece.toString('latin1')
    }
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
  return { fields: Object.fromEntries(fields), files }
}

function readWhole(body: Buffer): Read | string {
  const fields = new Map<string, string>()
  try {
    const files = parseMultipart(body, TYPE, fields, 0)
    return {
      fields: Object.fromEntries(fields),
      files: files.map(({ field, fileName, bytes }) => ({ field, fileName, bytes: bytes.toString('latin1') })),
    }
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

/** Valid and malformed bodies, composed of pieces that matter to the format. */
const bodies = fc
  .array(
    fc.constantFrom(
      '--cut\r\n',
      '\r\n--cut\r\n',
      '\r\n--cut--\r\n',
      '--cut \t\r\n',
      'Content-Disposition: form-data; name="a"; filename="b.txt"\r\n',
      'Content-Disposition: form-data; name="a"\r\n',
      'Content-Type: text/plain\r\n',
      '\r\n',
      '\r\n\r\n',
      '\r\n--cu',
      'some bytes',
      '-',
      '\0',
    ),
    { maxLength: 14 },
  )
  .map((pieces) => Buffer.from(pieces.join('')))

test('a body that arrives in any chunks is parsed like the whole body', async () => {
  const sound = Buffer.from(
    '--cut\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\n\r\n--cu\r\n--cut\r\n' +
      'Content-Disposition: form-data; name="t"\r\n\r\ntext\r\n--cut--\r\nepilogue',
  )
  const lengths = fc.array(fc.nat({ max: 20 }), { maxLength: 30 })

  await fc.assert(
    fc.asyncProperty(fc.oneof(bodies, fc.constant(sound)), lengths, async (body, cuts) => {
      // An empty body is valid if it is parsed as a whole, but not if it is streamed.
      fc.pre(body.length > 0)
      const [streamed, whole] = [await stream(body, cuts), readWhole(body)]
      if (typeof whole === 'string') assert.equal(typeof streamed, 'string', JSON.stringify(streamed))
      else assert.deepEqual(streamed, whole)
    }),
    { numRuns: sized(300, 2000) },
  )
})

test('long headers, long fields and many parts are refused', async () => {
  const head = (fileName: string) => `--cut\r\nContent-Disposition: form-data; name="a"${fileName}\r\n`

  const longHeaders = await stream(Buffer.from(`${head('')}X: ${'x'.repeat(20_000)}\r\n\r\n\r\n--cut--`), [])
  const endlessHeaders = await stream(Buffer.from(head('').padEnd(20_000, 'x')), [])
  const longText = await stream(Buffer.from(`${head('')}\r\n${'x'.repeat(1024 * 1024 + 1)}\r\n--cut--`), [])
  const manyParts = await stream(Buffer.from(`${`${head('; filename="b"')}\r\n\r\n`.repeat(1001)}--cut--`), [])

  assert.match(String(longHeaders), /headers of a part are too long/)
  assert.match(String(endlessHeaders), /headers of a part are too long/)
  assert.match(String(longText), /^The request body is too large/)
  assert.match(String(manyParts), /^Too many parameters/)
})
