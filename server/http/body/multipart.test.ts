import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/fast-check.ts'
import { parseMultipart } from './multipart.ts'

const TYPE = 'multipart/form-data;boundary=cut'

function read(body: string | Buffer, contentType = TYPE) {
  const fields = new Map<string, string>()
  const files = parseMultipart(Buffer.from(body), contentType, fields, 0)
  return { fields: Object.fromEntries(fields), files: files.map((file) => ({ ...file, bytes: file.bytes.toString() })) }
}

/** Returns a body of one part with this disposition. */
const part = (disposition: string, content = 'x') =>
  `--cut\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n--cut--\r\n`

test('text fields and files are distinguished, and text around the parts is ignored', () => {
  const body = [
    'a preamble',
    '--cut',
    'content-disposition: form-data; name="topic"',
    '',
    'two\r\nlines é',
    '--cut \t',
    'Content-Type: image/png',
    'Content-Disposition: form-data; name="file"; filename="a b.png"',
    '',
    '\0\r\n--cu',
    '--cut',
    'Content-Disposition: form-data; name="empty"',
    '',
    '',
    '--cut--',
    'an epilogue',
  ].join('\r\n')

  assert.deepEqual(read(body), {
    fields: { topic: 'two\r\nlines é', empty: '' },
    files: [{ field: 'file', fileName: 'a b.png', contentType: 'image/png', bytes: '\0\r\n--cu' }],
  })
})

test('a body without parts, and an empty body, have no fields', () => {
  assert.deepEqual(read('--cut--\r\n'), { fields: {}, files: [] })
  assert.deepEqual(read(''), { fields: {}, files: [] })
})

for (const [disposition, name] of [
  ['name=plain', 'plain'],
  ['NAME = "spaced"', 'spaced'],
  ['name="a;b=c"', 'a;b=c'],
  ['name="say \\"hi\\""', 'say "hi"'],
  ['name="say %22hi%22%0D%0A"', 'say "hi"\r\n'],
  ['name="naïve"', 'naïve'],
  ['name="a\\"', 'a\\'],
  ['name="a\\" ; x="b"', 'a\\'],
  ['name=""', ''],
] as const) {
  test(`${disposition} names a field`, () => {
    assert.deepEqual(read(part(disposition)).fields, { [name]: 'x' })
  })
}

for (const [disposition, fileName] of [
  ['filename=""', ''],
  ['filename="../../etc/passwd"', '../../etc/passwd'],
  ['filename="C:\\fakepath\\x.txt"', 'C:\\fakepath\\x.txt'],
  ['filename="say \\"hi\\"; x\\\\.txt"', 'say "hi"; x\\.txt'],
  ['filename="plain"; filename*=UTF-8\'\'na%C3%AFve+1%20%E2%82%AC.txt', 'naïve+1 €.txt'],
] as const) {
  test(`${disposition} names a file`, () => {
    const { files } = read(part(`name="f"; ${disposition}`))

    assert.deepEqual(files, [{ field: 'f', fileName, contentType: 'application/octet-stream', bytes: 'x' }])
  })
}

for (const [what, body, contentType] of [
  ['without a boundary in its type', part('name=a'), 'multipart/form-data'],
  ['with an empty boundary', part('name=a'), 'multipart/form-data; boundary=""'],
  ['with another boundary', part('name=a'), 'multipart/form-data; boundary=other'],
  ['that ends within a part', part('name=a').replace('--cut--', '--cu'), TYPE],
  ['that ends within headers', '--cut\r\nContent-Disposition: form-data; name=a\r\n', TYPE],
  ['that ends after a delimiter', '--cut', TYPE],
  ['whose delimiter is longer than its boundary', part('name=a').replace('--cut\r\n', '--cutter\r\n'), TYPE],
  ['with a part without a name', part('filename="x"'), TYPE],
] as const) {
  test(`a multipart body ${what} is refused`, () => {
    assert.throws(() => read(body, contentType), { message: /^The multipart body is malformed: / })
  })
}

test('forms from another encoder are read back', async () => {
  // This encoder does not escape a backslash, and others do with another one.
  const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\\\\'))
  const content = fc.string({ unit: fc.constantFrom('\r\n', '--', '-', 'é', 'x', '\0') })
  const entries = fc.array(fc.record({ name, content, fileName: fc.option(name) }), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(entries, async (parts) => {
      const form = new FormData()
      for (const { name, content, fileName } of parts)
        if (fileName === null) form.append(name, content)
        else form.append(name, new Blob([content], { type: 'text/x-test' }), fileName)
      const sent = new Response(form)
      const type = sent.headers.get('content-type') ?? ''

      const { fields, files } = read(Buffer.from(await sent.arrayBuffer()), type)

      const again = [...form].map(([field, value]) => ({ field, value }))
      const texts = again.filter(({ value }) => typeof value === 'string')
      // The encoder writes every line end in names and values as CRLF.
      const crlf = (text: string) => text.replace(/\r\n|\r|\n/g, '\r\n')
      assert.deepEqual(fields, Object.fromEntries(texts.map(({ field, value }) => [crlf(field), crlf(String(value))])))
      assert.deepEqual(
        files.map(({ field, bytes, contentType }) => ({ field, bytes, contentType })),
        parts
          .filter(({ fileName }) => fileName !== null)
          .map(({ name, content }) => ({ field: crlf(name), bytes: content, contentType: 'text/x-test' })),
      )
    }),
  )
})

test('a body with too many parts is refused before a part is decoded', () => {
  const withParts = (count: number) => `${part('no-name').replace('--cut--\r\n', '').repeat(count)}--cut--\r\n`

  assert.throws(() => read(withParts(1002)), { message: 'Too many parameters (limit: 1000)' })
  assert.throws(() => read(withParts(1000)), { message: /a part has no name$/ })
})

test('only the first header lines of a part, and the first parameters of a line, are read', () => {
  const line = 'Content-Disposition: form-data; name=a'
  const lines = (count: number) => `--cut\r\n${'X: y\r\n'.repeat(count)}${line}\r\n\r\nx\r\n--cut--\r\n`

  assert.deepEqual(read(lines(20)).fields, { a: 'x' })
  assert.throws(() => read(lines(50)), { message: /a part has no name$/ })
  assert.deepEqual(read(part(`${'x=y; '.repeat(20)}name=a`)).fields, { a: 'x' })
  assert.throws(() => read(part(`${'x=y; '.repeat(50)}name=a`)), { message: /a part has no name$/ })
})

test('very long headers are parsed in linear time', () => {
  for (const piece of ['; a="', '; a=', ' ', 'a', '\\"', '; a="\\" '])
    assert.throws(() => read(part(`;${piece.repeat(200_000)}`)), { message: /a part has no name$/ })
})
