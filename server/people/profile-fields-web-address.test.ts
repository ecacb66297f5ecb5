import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWebAddress } from './profile-fields.ts'

for (const address of [
  'https://example.com',
  'HTTP://user@example.com:8080/a?b#c',
  'ftp://ftp.example.com/x',
  'http://localhost:3000/',
  'https://[2001:db8::1]/',
  'https://192.0.2.7/x',
  'https://bücher.example/',
])
  test(`${address} can be linked`, () => assert.ok(isWebAddress(address)))

for (const text of [
  '',
  'example.com',
  '//example.com',
  'javascript:alert(1)',
  'javascript://example.com/%0aalert(1)',
  'https://',
  'https://nowhere',
  'https://exa mple.com',
  'https://example.com/\n',
  'https://..',
  `https://example.com/${'x'.repeat(2048)}`,
])
  test(`${JSON.stringify(text.slice(0, 40))} cannot be linked`, () => assert.equal(isWebAddress(text), false))
