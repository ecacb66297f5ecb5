import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openClientAddress } from './client-address.ts'

const TRUSTED_PROXIES = '127.0.0.1, ::1 10.1.0.0/16,2001:db8::/32'

test('only trusted proxies name the client, and what the client itself sends before them never counts', () => {
  const addressOf = openClientAddress({ TRUST_X_REAL_IP: false, TRUSTED_PROXIES })
  const cases = [
    ['192.0.2.9', '203.0.113.7', '192.0.2.9'],
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['127.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['::ffff:127.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['127.0.0.1', '198.51.100.66, 203.0.113.7', '203.0.113.7'],
    ['127.0.0.1', '198.51.100.66, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
    ['127.0.0.1', '10.1.9.9, 10.1.2.3', '10.1.9.9'],
    ['2001:db8::2', '203.0.113.7:50001', '203.0.113.7'],
    ['2001:db8::2', '[2001:470::7]:50001', '2001:470::7'],
    ['127.0.0.1', '2001:470::7', '2001:470::7'],
    ['127.0.0.1', 'unknown', '127.0.0.1'],
    ['127.0.0.1', '203.0.113.7, nonsense, 10.1.2.3', '10.1.2.3'],
    ['127.0.0.1', '', '127.0.0.1'],
  ] as const

  for (const [peer, forwarded, expected] of cases) {
    const headers = { forwarded: 'for=192.0.2.66', 'x-real-ip': '192.0.2.67', 'x-forwarded-for': forwarded }
    assert.equal(addressOf(headers, peer), expected, `${peer} ${forwarded}`)
  }
})

test('X-Real-IP counts if the operator says so, with trusted proxies only from them', () => {
  const headers = { 'x-real-ip': '203.0.113.7', 'x-forwarded-for': '192.0.2.66' }
  const [all, some, none] = [
    openClientAddress({ TRUST_X_REAL_IP: true, TRUSTED_PROXIES: '' }),
    openClientAddress({ TRUST_X_REAL_IP: true, TRUSTED_PROXIES }),
    openClientAddress({ TRUST_X_REAL_IP: false, TRUSTED_PROXIES: '' }),
  ]

  assert.deepEqual(
    ['192.0.2.9', '10.1.0.1'].map((peer) => [all, some, none].map((addressOf) => addressOf(headers, peer))),
    [
      ['203.0.113.7', '192.0.2.9', '192.0.2.9'],
      ['203.0.113.7', '203.0.113.7', '10.1.0.1'],
    ],
  )
})
