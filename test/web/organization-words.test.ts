import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownerOnlySettings } from '../../server/organizations/realms/settings.ts'
import { OF_OWNERS } from '../../web/views/organization/setting-words.ts'

test('the client offers to owners alone what the server lets owners alone change', () => {
  assert.deepEqual([...OF_OWNERS].sort(), [...ownerOnlySettings].sort())
})
