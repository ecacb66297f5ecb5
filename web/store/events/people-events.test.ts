import assert from 'node:assert/strict'
import { test } from 'node:test'
import { organizationAfterFields } from './profile-fields.ts'
import { changedSettings } from './realm.ts'
import { peopleAfterEvent } from './realm-user.ts'
import { statusesAfterEvent } from './user-status.ts'

type People = Parameters<typeof peopleAfterEvent>[0]

const ben = {
  user_id: 2,
  full_name: 'Ben',
  role: 400,
  is_admin: false,
  is_owner: false,
  is_guest: false,
  is_active: true,
}
const people = { realm_users: [ben], realm_non_active_users: [] } as unknown as People
const update = (person: object) => ({ type: 'realm_user', op: 'update', person: { user_id: 2, ...person } })

test('an account that is ended stands among those without one, and comes back', () => {
  const ended = peopleAfterEvent(people, update({ is_active: false }))
  const back = peopleAfterEvent(ended, update({ is_active: true }))

  assert.deepEqual([ended.realm_users.length, ended.realm_non_active_users[0]?.is_active], [0, false])
  assert.deepEqual(back, people)
})

test('with a role comes what follows from it', () => {
  const [promoted] = peopleAfterEvent(people, update({ role: 200 })).realm_users

  assert.deepEqual([promoted?.role, promoted?.is_admin, promoted?.is_owner], [200, true, false])
})

test('what somebody says of themselves follows, each field for itself, and goes with the field', () => {
  const said = { value: '**12**', rendered_value: '<p><strong>12</strong></p>' }
  const answers = [
    { id: 1, ...said },
    { id: 2, value: '[2]' },
    { id: 3, value: 'she' },
    { id: 2, value: null },
  ]

  const telling = answers.reduce(
    (all, answer) => peopleAfterEvent(all, update({ custom_profile_field: answer })),
    people,
  )
  const fields = [{ id: 1 }, { id: 3 }] as Parameters<typeof organizationAfterFields>[0]['custom_profile_fields']
  const left = organizationAfterFields({ ...telling, custom_profile_fields: fields }, { fields: [{ id: 3 }] })

  assert.deepEqual(telling.realm_users, [{ ...ben, profile_data: { 1: said, 3: { value: 'she' } } }])
  assert.deepEqual(left.realm_users, [{ ...ben, profile_data: { 3: { value: 'she' } } }])
  assert.deepEqual(left.custom_profile_fields, [{ id: 3 }])
})

test('somebody who comes into sight replaces the account without a name, and goes out of sight whole', () => {
  const seen = peopleAfterEvent(people, { op: 'add', person: { ...ben, full_name: 'Benjamin' } })
  const gone = peopleAfterEvent(seen, { op: 'remove', person: { user_id: 2, full_name: 'Unknown user' } })

  assert.deepEqual(
    seen.realm_users.map(({ full_name }) => full_name),
    ['Benjamin'],
  )
  assert.deepEqual(gone.realm_users, [])
})

test('of a status, what an event does not name stays, and what it empties goes', () => {
  const both = {
    2: { status_text: 'lunch', emoji_name: 'taco', emoji_code: '1f32e', reaction_type: 'unicode_emoji' as const },
  }

  const withoutText = statusesAfterEvent(both, { user_id: 2, status_text: '' })
  const withoutAny = statusesAfterEvent(withoutText, {
    user_id: 2,
    emoji_name: '',
    emoji_code: '',
    reaction_type: 'unicode_emoji',
  })

  assert.deepEqual(Object.keys(withoutText['2'] ?? {}), ['emoji_name', 'emoji_code', 'reaction_type'])
  assert.deepEqual(withoutAny, {})
})

test('settings are told one at a time or several at once; other news of the organization is none of them', () => {
  assert.deepEqual(changedSettings({ op: 'update', property: 'name', value: 'Acme' }), { name: 'Acme' })
  assert.deepEqual(changedSettings({ op: 'update_dict', data: { invite_required: false } }), { invite_required: false })
  assert.equal(changedSettings({ op: 'deactivated' }), null)
})
