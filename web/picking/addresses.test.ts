import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressStatus, readAddresses } from './addresses.ts'

const pastes: [what: string, text: string, addresses: string[]][] = [
  ['a list with commas', 'a@x.com, b@x.com,c@x.com', ['a@x.com', 'b@x.com', 'c@x.com']],
  ['one to a line', 'a@x.com\r\nb@x.com\n\n', ['a@x.com', 'b@x.com']],
  ['what mail programs copy', '"Silva, Ana" <ana@x.com>; Ben <ben@x.com>', ['ana@x.com', 'ben@x.com']],
  [
    'names turned around',
    'Silva, Ana <ana@x.com>, O’Neil, Dr. Ben <ben@x.com>; c@x.com',
    ['ana@x.com', 'ben@x.com', 'c@x.com'],
  ],
  ['what is mistyped before a name', 'kim(at)x.com, Ana <ana@x.com>', ['kim(at)x.com', 'ana@x.com']],
  ['columns of a table', 'ana@x.com\tAna@y.com', ['ana@x.com', 'Ana@y.com']],
  ['spaces alone', 'a@x.com b@x.com', ['a@x.com', 'b@x.com']],
  ['the same one again', 'a@x.com, A@X.com', ['a@x.com']],
  ['links and brackets', 'mailto:a@x.com (b@x.com).', ['a@x.com', 'b@x.com']],
  ['nothing', ' ,;\n', []],
]

for (const [what, text, addresses] of pastes)
  test(`addresses are read from ${what}`, () => {
    assert.deepEqual(readAddresses(text), addresses)
  })

test('the status of an address depends on its form, existing members, and allowed domains', () => {
  const known = {
    members: new Set(['ada@x.com']),
    invited: new Set(['ben@x.com']),
    domains: [
      { domain: 'x.com', allow_subdomains: false },
      { domain: 'y.com', allow_subdomains: true },
    ],
  }

  const emails = ['ada', 'Ada@X.com', 'ben@x.com', 'cleo@x.com', 'dan@sub.x.com', 'eve@sub.y.com', 'gus@notx.com']
  assert.deepEqual(
    emails.map((email) => addressStatus(email, known)),
    ['malformed', 'member', 'invited', 'fine', 'foreign', 'fine', 'foreign'],
  )
  assert.equal(addressStatus('anybody@anywhere.example', { ...known, domains: null }), 'fine')
})
