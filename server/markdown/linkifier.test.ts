import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkLinkifier, compileLinkifier, findLinks, withoutOverlaps } from './linkifier.ts'

const issues = compileLinkifier({ pattern: '#(?P<id>[0-9]+)', urlTemplate: 'https://tracker.example.com/{id}' })

const objections: [pattern: string, urlTemplate: string, objection: string | null][] = [
  ['#(?P<id>[0-9]+)', 'https://example.com/{id}', null],
  ['(?P<org>\\w+)/(?P<repo>\\w+)', 'https://example.com/{org}/{repo}', null],
  ['plain', 'https://example.com/', null],
  ['[a-z', 'https://example.com/', 'Bad regular expression: missing ]: [a-z'],
  ['(a', 'https://example.com/', 'Bad regular expression: missing ): (a'],
  ['a++', 'https://example.com/', 'Bad regular expression: bad repetition operator: ++'],
  ['(?!x)', 'https://example.com/', 'Bad regular expression: invalid perl operator: (?!'],
  ['x\\', 'https://example.com/', 'Bad regular expression: trailing \\'],
  [
    '(?P<__linked>x)',
    'https://example.com/{__linked}',
    'Bad regular expression: invalid named capture group: __linked',
  ],
  ['(?P<id>x)', 'https://example.com/{id', 'Invalid URL template.'],
  ['x', 'https://example.com/{id}', "Group 'id' in URL template is not present in linkifier pattern."],
  ['(?P<id>x)', 'https://example.com/', "Group 'id' in linkifier pattern is not present in URL template."],
]

for (const [pattern, urlTemplate, objection] of objections) {
  test(`${pattern} with ${urlTemplate} is ${objection === null ? 'accepted' : `refused: ${objection}`}`, () => {
    assert.equal(checkLinkifier(pattern, urlTemplate), objection)
  })
}

test('a match must be separated from the words around it', () => {
  const text = `#1 (#2) "#3" #4, #5 #6 x#7 #8x ##9 :#10 #11é <#12>`

  const linked = findLinks(issues, text).map(({ text }) => text)

  assert.deepEqual(linked, ['#1', '#2', '#3', '#4', '#5', '#6', '#10', '#12'])
})

test('a match has a position and an address', () => {
  const found = findLinks(issues, 'see #12')

  assert.deepEqual(found, [{ start: 4, end: 7, text: '#12', url: 'https://tracker.example.com/12' }])
})

test('alternatives and flags of a pattern stay inside it', () => {
  const either = compileLinkifier({ pattern: '(?i)cat(?P<a>)|dog', urlTemplate: 'https://example.com/{a}' })

  const linked = findLinks(either, 'CAT xcat dogs Dog.').map(({ text }) => text)

  assert.deepEqual(linked, ['CAT', 'Dog'])
})

test('a template cannot link to a script', () => {
  const script = compileLinkifier({ pattern: '(?P<x>.+)', urlTemplate: 'javascript:{x}' })
  const scheme = compileLinkifier({ pattern: '(?P<x>.+)', urlTemplate: '{+x}' })

  const found = [...findLinks(script, 'alert(1)'), ...findLinks(scheme, 'javascript:alert(1)')]

  assert.deepEqual(found, [])
})

test('of two overlapping links, the first in the list is kept', () => {
  const link = (start: number, end: number) => ({ start, end, text: `${start}`, url: '' })

  const kept = withoutOverlaps([link(5, 9), link(8, 12), link(0, 5), link(9, 10), link(4, 6)])

  assert.deepEqual(
    kept.map(({ start }) => start),
    [0, 5, 9],
  )
})
