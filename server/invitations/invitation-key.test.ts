import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { test } from 'node:test'
import { idInKey, invitationKey } from './invitation.ts'

const secret = createSecretKey(Buffer.from('a secret of some server'))
const other = createSecretKey(Buffer.from('a secret of another one'))
const source = { id: 7, keySeed: 'cafe', formerKeyHash: null }

test("a key reveals the invitation's id only to a holder of the secret", () => {
  for (const id of [1, 7, 123_456_789, 2 ** 40 - 1]) {
    const key = invitationKey(secret, { ...source, id })

    assert.match(key, /^[a-z2-7]{32}$/)
    assert.equal(idInKey(secret, key), id)
    assert.notEqual(idInKey(other, key), id)
  }
})

test('a key is always the same, and differs for every secret, seed and id', () => {
  const keys = [
    invitationKey(secret, source),
    invitationKey(other, source),
    invitationKey(secret, { ...source, id: 8 }),
    invitationKey(secret, { ...source, keySeed: 'cafd' }),
    invitationKey(secret, { ...source, formerKeyHash: 'of the former key' }),
  ]

  assert.equal(invitationKey(secret, { ...source }), keys[0])
  for (const part of [(key: string) => key.slice(0, 8), (key: string) => key.slice(8)])
    assert.equal(new Set(keys.map(part)).size, keys.length)
})

test('a string that is not a key has no invitation id', () => {
  const key = invitationKey(secret, source)

  for (const text of ['', key.slice(1), `${key}a`, key.toUpperCase(), `${key.slice(1)}1`, `${key}\n`])
    assert.equal(idInKey(secret, text), null)
})
