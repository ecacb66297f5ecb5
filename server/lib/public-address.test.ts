import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoopbackHost, isPublicAddress, parsePrivateHost } from './public-address.ts'

test('public addresses are distinguished from all others', () => {
  const areOf = ['1.1.1.1', '172.32.0.1', '192.167.255.255', '2606:4700::1111', '::ffff:1.1.1.1', '64:ff9b::101:101']
  const areNot = [
    ...['127.0.0.1', '127.9.9.9', '0.0.0.0', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['169.254.169.254', '100.64.0.1', '192.0.2.1', '198.18.0.1', '203.0.113.9', '224.0.0.1', '255.255.255.255'],
    ...['::', '::1', '0:0:0:0:0:0:0:1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12:3456::1', 'fec0::1', 'ff02::1'],
    ...['::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:10.0.0.1', '::ffff:169.254.169.254', '::127.0.0.1'],
    ...['64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b:1::1', '2002:7f00:1::', '2001::1', '2001:db8::1'],
    ...['localhost', '', '1.1.1', '1.1.1.1%eth0'],
  ]

  assert.deepEqual(
    areOf.filter((address) => !isPublicAddress(address)),
    [],
  )
  assert.deepEqual(areNot.filter(isPublicAddress), [])
})

test('a private host is a name, an address, a network, or all', () => {
  const has = (entry: string, host: string, address: string) => parsePrivateHost(entry)?.has(host, address)

  assert.equal(has('*', 'any', '10.0.0.1'), true)
  assert.equal(has('Bots.Internal', 'bots.internal', '10.0.0.1'), true)
  assert.equal(has('bots.internal', 'evil.bots.internal', '10.0.0.1'), false)
  assert.equal(has('10.1.0.0/16', 'any', '10.1.2.3'), true)
  assert.equal(has('10.1.0.0/16', 'any', '::ffff:10.1.2.3'), true)
  assert.equal(has('10.1.0.0/16', 'any', '10.2.0.1'), false)
  assert.equal(has('10.1.2.3', 'any', '10.1.2.3'), true)
  assert.equal(has('10.1.2.3', 'any', '10.1.2.4'), false)
  assert.equal(has('::1', 'any', '0:0:0:0:0:0:0:1'), true)
  assert.equal(has('fd00::/8', 'any', 'fd12::1'), true)
  for (const wrong of ['', '10.0.0.0/33', '10.0.0.0/', '::1/129', 'a b', 'http://bots', '10.0.0.0/8/8', 'bots:80'])
    assert.equal(parsePrivateHost(wrong), null, wrong)
})

test('the names and addresses of this machine are distinguished from names that begin like them', () => {
  for (const host of ['localhost', 'mail.localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]'])
    assert.equal(isLoopbackHost(host), true, host)
  for (const host of ['127.example.com', '127.0.0.1.example.com', 'localhost.example.com', '128.0.0.1', ''])
    assert.equal(isLoopbackHost(host), false, host)
})
