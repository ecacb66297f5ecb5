import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf, siteOf } from './rate-limits.ts'

test('an IPv4 address is its own network in any notation', () => {
  assert.equal(networkOf('192.0.2.7'), '192.0.2.7')
  assert.equal(networkOf('::ffff:192.0.2.7'), '192.0.2.7')
  assert.equal(networkOf('::FFFF:192.0.2.7'), '192.0.2.7')
})

test('IPv6 addresses are grouped by network', () => {
  const places = (addresses: string[]) => [...new Set(addresses.map(networkOf))]

  assert.deepEqual(
    places([
      ...['2001:db8:1:2::', '2001:db8:1:2::7', '2001:DB8:1:2:ffff:ffff:ffff:ffff', '2001:0db8:0001:0002:0:0:0:1'],
      '2001:db8:1:2::192.0.2.7',
    ]),
    ['2001:db8:1:2::/64'],
  )
  assert.deepEqual(places(['2001:db8::1', '2001:db8:0:0:9::1']), ['2001:db8:0:0::/64'])
  assert.deepEqual(places(['fe80::1%eth0', 'fe80::2%eth1']), ['fe80:0:0:0::/64'])
  assert.deepEqual(places(['::1', '::']), ['0:0:0:0::/64'])
  assert.deepEqual(places(['64:ff9b::192.0.2.7']), ['64:ff9b:0:0::/64'])
  assert.equal(places(['2001:db8:1:2::1', '2001:db8:1:3::1']).length, 2)
})

test('text that is not an address stays unchanged', () => {
  for (const text of ['', 'unix:', 'a:b', '192.0.2.7, 192.0.2.8']) assert.equal(networkOf(text), text)
})

test('the site of an IPv6 address is its network of 48 bits; an IPv4 address has none', () => {
  for (const address of ['2001:db8:1:2::7', '2001:0DB8:1:ffff::', '2001:db8:1::%eth0'])
    assert.equal(siteOf(address), '2001:db8:1::/48')
  for (const address of ['192.0.2.7', '::ffff:192.0.2.7', 'unix:']) assert.equal(siteOf(address), null)
})
