import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '#lib/errors.ts'
import { fc } from '../../../test/fast-check.ts'
import { sized } from '../../../test/size.ts'
import { parseJsonBody } from './json-body.ts'

const read = (text: string) => {
  const { body, jsonKinds } = parseJsonBody(text, 0)
  return [...body].map(([name, value]) => [name, value, jsonKinds.get(name)])
}

for (const [text, parameters] of [
  ['{}', []],
  [' {\n} ', []],
  [
    '{"a":"x","b":1}',
    [
      ['a', 'x', 'string'],
      ['b', '1', 'value'],
    ],
  ],
  [
    '{ "a" : [ 1 , {"b":"},"} ] , "c":null}',
    [
      ['a', '[ 1 , {"b":"},"} ]', 'value'],
      ['c', 'null', 'value'],
    ],
  ],
  [
    '{"a":12345678901234567890,"b":5.0}',
    [
      ['a', '12345678901234567890', 'value'],
      ['b', '5.0', 'value'],
    ],
  ],
  ['{"a":1,"a":"2"}', [['a', '2', 'string']]],
  ['{"\\u0061":"\\u00e9\\n\\ud800"}', [['a', 'é\n\ufffd', 'string']]],
  [
    '{"__proto__":"1","a":nonsense}',
    [
      ['__proto__', '1', 'string'],
      ['a', 'nonsense', 'value'],
    ],
  ],
] as [string, string[][]][])
  test(`the JSON body ${JSON.stringify(text)} is split into its parameters`, () => {
    assert.deepEqual(read(text), parameters)
  })

for (const text of [
  '',
  'null',
  '[]',
  '"a"',
  '{',
  '{"a"',
  '{"a":',
  '{"a":1',
  '{"a":1,',
  '{"a":1,}',
  '{a:1}',
  '{"a" 1}',
  '{"a":1}x',
  '{,}',
])
  test(`the JSON body ${JSON.stringify(text)} is refused as malformed`, () => {
    assert.throws(
      () => read(text),
      (error) => error instanceof Refusal && error.kind.status === 400 && /JSON body is malformed/.test(error.message),
    )
  })

test('any object is read back from its JSON', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (object) => {
      const read = parseJsonBody(JSON.stringify(object, null, 1), 0)

      const values = [...read.body].map(([name, text]) => [
        name,
        read.jsonKinds.get(name) === 'string' ? text : JSON.parse(text),
      ])
      assert.deepEqual(Object.fromEntries(values), JSON.parse(JSON.stringify(object)))
    }),
    { numRuns: sized(20, 500) },
  )
})

test('a JSON body is parsed in linear time, whatever it contains', () => {
  for (const text of [
    '{"a":'.repeat(100_000),
    '['.repeat(500_000),
    `{"a":${'['.repeat(500_000)}`,
    `{${'"'.repeat(500_001)}`,
  ])
    assert.throws(() => parseJsonBody(text, 0), /malformed/)
})

test('a JSON body may have as many parameters as a form', () => {
  const many = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, at])))

  assert.equal(parseJsonBody(many(600), 400).body.size, 600)
  assert.throws(() => parseJsonBody(many(601), 400), /Too many parameters \(limit: 1000\)/)
})
