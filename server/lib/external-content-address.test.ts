import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { test } from 'node:test'
import { externalAddressIn, externalContentPath, verifyExternalContentPath } from './external-content-address.ts'

const secret = createSecretKey(Buffer.from('a secret of this server'))
const key = { secret, privateHosts: [] }
const CAT = 'https://example.com/Katze in Köln.png?a=1&b=2'

test('a path contains the address, and only the server with the same secret can make it', () => {
  const path = externalContentPath(key, CAT) ?? assert.fail()

  assert.match(path, /^\/external_content\/[0-9a-f]{40}\/[0-9a-f]+$/)
  assert.equal(verifyExternalContentPath(secret, path), CAT)
  assert.equal(externalAddressIn(path), CAT)
  assert.equal(verifyExternalContentPath(createSecretKey(Buffer.from('another secret')), path), null)
})

test('a changed, shortened or extended path is refused', () => {
  const path = externalContentPath(key, CAT) ?? assert.fail()
  const dog = Buffer.from('https://example.com/dog.png').toString('hex')

  for (const wrong of [
    path.replace(/[0-9a-f]+$/, dog),
    path.replace(/\/[0-9a-f]{40}\//, `/${'0'.repeat(40)}/`),
    path.slice(0, -2),
    `${path}00`,
    `${path}/`,
    path.toUpperCase(),
    '/external_content/',
    `/external_content/${dog}`,
  ])
    assert.equal(verifyExternalContentPath(secret, wrong), null, wrong)
})

test('addresses that the server would not fetch have no path', () => {
  for (const address of [
    'ftp://example.com/a.png',
    'file:///etc/passwd',
    'data:image/png;base64,AAAA',
    'https://ada:secret@example.com/a.png',
    'https://example.com:8080/a.png',
    'not an address',
    `https://example.com/${'a'.repeat(2000)}`,
  ])
    assert.equal(externalContentPath(key, address), null, address)
})

test('hosts that the operator has permitted may have any port', () => {
  const permitted = { secret, privateHosts: ['wiki.internal', '10.2.0.0/16', '::1'] }
  const has = (address: string) => externalContentPath(permitted, address) !== null

  for (const address of ['http://wiki.internal:8080/a.png', 'http://10.2.3.4:3000/a.png', 'https://[::1]:8443/a.png'])
    assert.ok(has(address), address)
  for (const address of [
    'http://example.com:8080/a.png',
    'http://wiki.internal.example.com:8080/a.png',
    'http://10.3.0.1:3000/a.png',
    'http://ada:secret@wiki.internal:8080/a.png',
    'ftp://wiki.internal/a.png',
  ])
    assert.ok(!has(address), address)
})
