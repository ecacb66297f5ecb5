import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashLocation } from '../navigation/hash-links.ts'
import type { Person } from '../store/organization.ts'
import { linkToPerson } from './mentions.ts'

test('the address of a profile is read back, also with a tab of other clients', () => {
  const { hash } = new URL(linkToPerson({ user_id: 12 } as Person, 'https://chat.example.com'))

  for (const one of [hash, 'user/12/channels']) assert.deepEqual(hashLocation(one, 1), { to: '/people/12', search: {} })
  for (const other of ['#users/12', '#user/', '#user/x', '#user/12x', '']) assert.equal(hashLocation(other, 1), null)
})
