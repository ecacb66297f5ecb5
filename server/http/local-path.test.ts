import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localPath } from './pages.ts'

test('an address of this server stays unchanged', () => {
  for (const path of ['/', '/channels/5', '/a?b=%26&c#d', '/%2F%2Fevil.test', '/login/?next=//evil.test'])
    assert.equal(localPath(path), path)
})

test('an address that browsers would resolve to another site leads to the start page', () => {
  const elsewhere = [
    '',
    'x',
    '//evil.test',
    '/\\evil.test',
    '/\t/evil.test',
    '/\n/evil.test',
    '/.//evil.test',
    '/a/..//evil.test',
  ]

  for (const path of [
    ...elsewhere,
    '\\\\evil.test',
    'https://evil.test',
    'javascript:alert(1)',
    `/${'x'.repeat(3000)}`,
  ])
    assert.equal(localPath(path), '/', JSON.stringify(path))
})
