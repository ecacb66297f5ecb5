import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownerOnlySettings } from '#realms/settings.ts'
import { OWNER_SETTINGS } from '../../web/settings/organization-settings.ts'

test('the client offers settings to owners only if the server lets only owners change them', () => {
  assert.deepEqual([...OWNER_SETTINGS].sort(), [...ownerOnlySettings].sort())
})
