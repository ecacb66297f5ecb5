import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findBareUrls } from './urls.ts'

const texts: [text: string, ...addresses: string[]][] = [
  ['see http://example.com/a?b=c#d.', 'http://example.com/a?b=c#d'],
  ['(https://en.example.org/wiki/X_(y))', 'https://en.example.org/wiki/X_(y)'],
  ['http://a.example.com/, b.example.com!', 'http://a.example.com/', 'b.example.com'],
  ['mail ada@example.com, please', 'ada@example.com'],
  ['http://localhost:9991/x', 'http://localhost:9991/x'],
  ['HTTPS://EXAMPLE.COM example.COM'],
  ['bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa, bitcoin:1', 'bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
  ['http://münchen.example/ß', 'http://münchen.example/ß'],
  ['views.py and readme.md and a.unknown'],
  ['xhttp://example.com'],
  ['example.com:8080 example.com?x'],
  ['http:// http://. http://, ://x'],
  ['http://example.com/(open'],
  ['http://example.com/"quoted"x'],
  ['love...it e.g. 3.14'],
]

for (const [text, ...addresses] of texts) {
  test(`${JSON.stringify(text)} holds ${addresses.length === 0 ? 'no address' : addresses.join(' and ')}`, () => {
    const found = findBareUrls(text).map(({ start, end }) => text.slice(start, end))

    assert.deepEqual(found, addresses)
  })
}
