import assert from 'node:assert/strict'
import { test } from 'node:test'
import { availablePrivacies, privacyOf, toChangedPrivacy, toNewPrivacy } from './privacy.ts'

test('privacy options depend on permissions, and always include the current one', () => {
  const [none, all] = [
    { web: false, public: false, private: false },
    { web: false, public: true, private: true },
  ]

  assert.deepEqual(availablePrivacies(none), [])
  assert.deepEqual(availablePrivacies(all), ['public', 'private-shared', 'private-protected'])
  assert.deepEqual(availablePrivacies({ ...none, web: true }), ['web'])
  assert.deepEqual(availablePrivacies(none, 'public'), ['public'])
  assert.deepEqual(availablePrivacies(none, 'private-shared'), ['private-shared', 'private-protected'])
  assert.deepEqual(availablePrivacies({ ...all, private: false }, 'web'), ['web', 'public'])
})

test('privacy options map to the API and back', () => {
  for (const privacy of ['web', 'public', 'private-shared', 'private-protected'] as const) {
    assert.equal(privacyOf(toNewPrivacy(privacy)), privacy)
    const { is_private, ...others } = toChangedPrivacy(privacy)
    assert.equal(privacyOf({ ...others, invite_only: is_private }), privacy)
  }
})
