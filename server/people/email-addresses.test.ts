import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isEmailAddress } from './email-addresses.ts'

test('valid and invalid email addresses are distinguished', () => {
  const usable = [
    'new@x.com',
    'a+tag@x.co.uk',
    "o'brien@x.com",
    'a@localhost',
    'a@bücher.example',
    `a@${'bücher'.normalize('NFD')}.example`,
    'a@भारत.भारत',
    'a@col·legi.cat',
    'a@xn--bcher-kva.example',
    'a@[127.0.0.1]',
    'a@[::1]',
    '"quoted"@x.com',
    `${'a'.repeat(308)}@example.com`,
  ]
  const unusable = [
    'noatsign',
    '@x.com',
    'a@',
    'a@x',
    'ü@x.com',
    '"with space"@x.com',
    '"a<b"@x.com',
    '"a,b"@x.com',
    '"a@b"@x.com',
    '"a\\b"@x.com',
    'a@x.com.',
    'a..b@x.com',
    '.a@x.com',
    'a@-x.com',
    'a@x-.com',
    'a@x.c',
    'a@[999.0.0.1]',
    'a@[IPv6:::1]',
    'a b@x.com',
    'a@x.com\n',
    'a@x.com;b@x.com',
    'a\u0000@x.com',
    'a@x.com\u200b',
    'a@x\u00ad.com',
    'a@x\u202ey.com',
    'a@ｘ.com',
    'a@x。com',
    'a@x\ud800.com',
    `${'a'.repeat(309)}@example.com`,
  ]

  const results = [...usable, ...unusable].map((address) => [address, isEmailAddress(address)])

  assert.deepEqual(results, [
    ...usable.map((address) => [address, true]),
    ...unusable.map((address) => [address, false]),
  ])
})
