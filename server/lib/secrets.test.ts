import assert from 'node:assert/strict'
import { createSecretKey, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { decrypt, encrypt, systemRandom } from './secrets.ts'

test('any number of bytes can be drawn, and no bytes repeat', () => {
  const counts = [0, 1, 20, 32, 4000, 4096, 5000, 20, 100_000]

  const drawn = counts.map((count) => systemRandom.bytes(count))

  assert.deepEqual(
    drawn.map((bytes) => bytes.length),
    counts,
  )
  const pieces = drawn.flatMap((bytes) => bytes.toString('hex').match(/.{32}/g) ?? [])
  assert.equal(new Set(pieces).size, pieces.length)
})

test('drawn bytes do not change while more are drawn', () => {
  const first = systemRandom.bytes(20)
  const before = first.toString('hex')

  for (let draw = 0; draw < 1000; draw += 1) systemRandom.bytes(20)

  assert.equal(first.toString('hex'), before)
})

test('an encrypted text is read only with the same secret and circumstances', () => {
  const [secret, other] = ['one', 'other'].map((text) => createSecretKey(Buffer.from(text))) as [KeyObject, KeyObject]
  const encrypted = encrypt(secret, systemRandom, ['tokens', 7], 'für Ada')

  assert.equal(decrypt(secret, ['tokens', 7], encrypted), 'für Ada')
  assert.notEqual(encrypt(secret, systemRandom, ['tokens', 7], 'für Ada'), encrypted)
  assert.equal(decrypt(other, ['tokens', 7], encrypted), null)
  assert.equal(decrypt(secret, ['tokens', 8], encrypted), null)
  const changed = `${encrypted.startsWith('A') ? 'B' : 'A'}${encrypted.slice(1)}`
  for (const broken of ['', 'x', encrypted.slice(0, -4), changed, `${encrypted}AAAA`])
    assert.equal(decrypt(secret, ['tokens', 7], broken), null, broken)
})
