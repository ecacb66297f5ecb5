import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { maySeeAddress } from './access.ts'
import { AddressVisibility, readUserSettings } from './user-settings.ts'
import { apiEmail, avatarUrl, mediumAvatarUrl, type User } from './users.ts'

const url = 'https://chat.example.org'
const realm = { subdomain: 'team' }

function user(given: Partial<User> & { visibility?: number } = {}): User {
  const { visibility = AddressVisibility.everyone, ...fields } = given
  return {
    id: 7,
    realmId: 1,
    recipientId: 70,
    deliveryEmail: 'Ada@example.com',
    fullName: 'Ada',
    role: Role.member,
    botType: null,
    botOwnerId: null,
    joinedAt: 0,
    deactivatedAt: null,
    secondFactorRequiredAt: null,
    avatarFile: null,
    avatarVersion: 3,
    timezone: '',
    settings: readUserSettings(JSON.stringify({ email_address_visibility: visibility })),
    ...fields,
  }
}

test('the API address is the real one if everyone may see it, else a placeholder', () => {
  assert.equal(apiEmail(user(), realm, url), 'Ada@example.com')
  for (const visibility of [2, 3, 4, 5])
    assert.equal(apiEmail(user({ visibility }), realm, url), 'user7@team.chat.example.org')
})

for (const [visibility, mayRoles] of [
  [AddressVisibility.everyone, [100, 200, 300, 400, 600]],
  [AddressVisibility.members, [100, 200, 300, 400]],
  [AddressVisibility.moderators, [100, 200, 300]],
  [AddressVisibility.administrators, [100, 200]],
  [AddressVisibility.nobody, []],
] as const) {
  test(`an address of visibility ${visibility} is visible to ${mayRoles.join(', ')} and to the user`, () => {
    const ada = user({ visibility })

    const roles = [100, 200, 300, 400, 600].filter((role) => maySeeAddress({ id: 8, role }, ada))

    assert.deepEqual(roles, mayRoles)
    assert.equal(maySeeAddress({ id: 7, role: Role.guest }, ada), true)
  })
}

test('an avatar is only left out if the client can compute it from a public address', () => {
  const gravatar = 'https://secure.gravatar.com/avatar/3e3417d7ef77d5932a6734b916515ed5?d=identicon&version=3'

  assert.equal(avatarUrl(user(), true), null)
  assert.equal(avatarUrl(user(), false), gravatar)
  const hidden = avatarUrl(user({ visibility: AddressVisibility.members }), true)
  assert.match(hidden ?? '', /^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?d=identicon&version=3$/)
  assert.notEqual(hidden, gravatar)
  assert.equal(avatarUrl(user({ avatarFile: '1/ab.png' }), true), '/user_avatars/1/ab.png')
  assert.equal(avatarUrl(user({ deliveryEmail: 'welcome-bot@parley.invalid' }), true), '/static/system-bot-avatar.png')
})

test('the large avatar is stored beside the small one', () => {
  assert.equal(mediumAvatarUrl(user({ avatarFile: '1/ab.png' })), '/user_avatars/1/ab-medium.png')
  assert.match(mediumAvatarUrl(user()), /\?d=identicon&s=500&version=3$/)
})
