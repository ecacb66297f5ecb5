import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/fast-check.ts'
import { parseForm } from './params.ts'

/** Returns the text as the parser gets it, one character for each byte. */
const asSent = (text: string) => Buffer.from(text).toString('latin1')

function read(text: string): Record<string, string> {
  const fields = new Map<string, string>()
  parseForm(asSent(text), fields, 0)
  return Object.fromEntries(fields)
}

for (const [text, fields] of [
  ['', {}],
  ['a=1&b=2', { a: '1', b: '2' }],
  ['a', { a: '' }],
  ['a=', { a: '' }],
  ['=1', { '': '1' }],
  ['&&a=1&&', { a: '1' }],
  ['a=b=c', { a: 'b=c' }],
  ['a=1&b&a=2', { a: '2', b: '' }],
  ['a+b=c+d', { 'a b': 'c d' }],
  ['a=%2B%20%26%3D', { a: '+ &=' }],
  ['a=["x",{"y":1}]', { a: '["x",{"y":1}]' }],
  ['a=é€😀', { a: 'é€😀' }],
  ['a=%C3%A9%e2%82%ac', { a: 'é€' }],
  ['a=%FF&b=%C3x', { a: '\ufffd', b: '\ufffdx' }],
  ['a=%ED%A0%80', { a: '\ufffd\ufffd\ufffd' }],
  ['a=%&b=%4&c=%zz&d=100%+%41', { a: '%', b: '%4', c: '%zz', d: '100% A' }],
  ['a=x%00y', { a: 'x\0y' }],
  ['%5F_proto__=1&constructor=2', { ['__proto__']: '1', constructor: '2' }],
] as [string, Record<string, string>][]) {
  test(`the form ${JSON.stringify(text)} is parsed`, () => {
    assert.deepEqual(read(text), fields)
  })
}

test('unusual forms are parsed as browsers parse them', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary-ascii' }),
    fc.constantFrom('&', '=', '+', '%', '%4', '%41', '%C3', '%A9', '%F0', '%9F%98', '%80', '%zz', ';', '"'),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('')

      assert.deepEqual(read(text), Object.fromEntries(new URLSearchParams(text.replace(/^\?/, '%3F'))))
    }),
  )
})

test('encoded forms are read back', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), (fields) => {
      assert.deepEqual(read(new URLSearchParams(fields).toString()), { ...fields })
    }),
  )
})

test('a thousand pairs are accepted, including repeated ones and those counted before', () => {
  const pairs = (count: number) => 'a=1&'.repeat(count)

  assert.equal(parseForm(pairs(400), new Map(), 600), 1000)
  assert.throws(() => parseForm(pairs(401), new Map(), 600), { message: 'Too many parameters (limit: 1000)' })
})
