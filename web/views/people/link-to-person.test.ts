import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Person } from '../../store/organization.ts'
import { linkToPerson, readPersonHash } from './link-to-person.ts'

test('the address of a profile is read back, also with a tab of other clients', () => {
  const { hash } = new URL(linkToPerson({ user_id: 12 } as Person, 'https://chat.example.com'))

  assert.equal(readPersonHash(hash), '12')
  assert.equal(readPersonHash('user/12/channels'), '12')
  for (const other of ['#users/12', '#user/', '#user/x', '#user/12x', '#narrow/dm/12', ''])
    assert.equal(readPersonHash(other), null)
})
