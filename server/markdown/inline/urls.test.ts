import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relativeUrl, safeUrl } from './urls.ts'

const links: [typed: string, url: string | null][] = [
  ['https://example.com/a b', 'https://example.com/a%20b'],
  ['HTTP://Example.com', 'http://Example.com'],
  ['https://example.com/?', 'https://example.com/'],
  ['https://example.com/?a=b#', 'https://example.com/?a=b'],
  ['https://example.com/#?', 'https://example.com/#?'],
  ['mailto:ada@example.com', 'mailto:ada@example.com'],
  ['ada@example.com', 'mailto:ada@example.com'],
  ['example.com/path', 'http://example.com/path'],
  ['//example.com', 'http://example.com'],
  ['/user_uploads/1/cat.png', '/user_uploads/1/cat.png'],
  ['#narrow/channel/1', '#narrow/channel/1'],
  ['/\\example.com', 'http:///\\example.com'],
  ['javascript:alert(1)', null],
  [' JavaScript:alert(1)', null],
  ['java\nscript:alert(1)', null],
  ['data:text/html,x', null],
  ['file:///etc/passwd', null],
  ['vbscript:x', null],
  ['', null],
]

for (const [typed, url] of links) {
  test(`a link to ${JSON.stringify(typed)} ${url === null ? 'is not made' : `leads to ${url}`}`, () => {
    assert.equal(safeUrl(typed), url)
  })
}

test('links to views and uploads at an address of the organization become relative, others do not', () => {
  const realmUrl = 'https://chat.example.com'
  const formerUrl = 'https://old.example.com'

  const shortened = [
    `${realmUrl}/#narrow/channel/1`,
    `${realmUrl}/user_uploads/1/cat.png`,
    `${realmUrl}/help`,
    `${realmUrl}.evil.com/#narrow`,
    `${formerUrl}/user_uploads/1/cat.png`,
    '/#narrow/channel/1',
  ].map((url) => relativeUrl(url, [realmUrl, formerUrl]))

  assert.deepEqual(shortened, [
    '#narrow/channel/1',
    'user_uploads/1/cat.png',
    `${realmUrl}/help`,
    `${realmUrl}.evil.com/#narrow`,
    'user_uploads/1/cat.png',
    '/#narrow/channel/1',
  ])
})
