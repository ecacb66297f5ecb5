import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileLinkifier, topicLinks } from './linkifier.ts'

const issues = compileLinkifier({ pattern: '#(?P<id>[0-9]+)', urlTemplate: 'https://tracker.example.com/{id}' })
const shouting = compileLinkifier({ pattern: '[A-Z]+#(?P<id>[0-9]+)', urlTemplate: 'https://loud.example.com/{id}' })

test('a topic without links has none', () => {
  assert.deepEqual(topicLinks('lunch at 12', [issues]), [])
})

test('linkifier matches and bare addresses are returned in order of position', () => {
  const links = topicLinks('see https://a.example.com/x and #12, b.example.com', [issues])

  assert.deepEqual(links, [
    { url: 'https://a.example.com/x', text: 'https://a.example.com/x' },
    { url: 'https://tracker.example.com/12', text: '#12' },
    { url: 'https://b.example.com', text: 'b.example.com' },
  ])
})

test('the linkifier of higher priority wins where two match', () => {
  const loudFirst = topicLinks('BUG#7 #8', [shouting, issues])
  const quietFirst = topicLinks('"BUG#7"', [issues, shouting])

  assert.deepEqual(
    loudFirst.map(({ url }) => url),
    ['https://loud.example.com/7', 'https://tracker.example.com/8'],
  )
  assert.deepEqual(
    quietFirst.map(({ url }) => url),
    ['https://loud.example.com/7'],
  )
})

test('an address that overlaps a linkifier match is not linked again', () => {
  const whole = compileLinkifier({
    pattern: 'example\\.com/(?P<id>[0-9]+)',
    urlTemplate: 'https://short.example.com/{id}',
  })

  const links = topicLinks('example.com/5', [whole])

  assert.deepEqual(links, [{ url: 'https://short.example.com/5', text: 'example.com/5' }])
})

test('a linkifier match inside punctuation is linked without the punctuation', () => {
  const links = topicLinks('✔ (#3): ada@example.com', [issues])

  assert.deepEqual(links, [
    { url: 'https://tracker.example.com/3', text: '#3' },
    { url: 'mailto:ada@example.com', text: 'ada@example.com' },
  ])
})
