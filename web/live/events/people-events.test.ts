import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverEvent } from '../../../test/web/server-event.ts'
import { organizationAfterFields } from '../../store/profile-fields.ts'
import { changedSettings } from './apply-event.ts'
import { peopleAfterEvent, statusesAfterEvent } from './people-events.ts'

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
const update = (person: object) => serverEvent('realm_user', { op: 'update', person: { user_id: 2, ...person } })

test('a deactivated account moves to the other list, and back when it is reactivated', () => {
  const deactivated = peopleAfterEvent(people, update({ is_active: false }))
  const reactivated = peopleAfterEvent(deactivated, update({ is_active: true }))

  assert.deepEqual([deactivated.realm_users.length, deactivated.realm_non_active_users[0]?.is_active], [0, false])
  assert.deepEqual(reactivated, people)
})

test('the fields that follow from a role change with it', () => {
  const [promoted] = peopleAfterEvent(people, update({ role: 200 })).realm_users

  assert.deepEqual([promoted?.role, promoted?.is_admin, promoted?.is_owner], [200, true, false])
})

test('profile values change one by one, and disappear with their field', () => {
  const rendered = { value: '**12**', rendered_value: '<p><strong>12</strong></p>' }
  const values = [
    { id: 1, ...rendered },
    { id: 2, value: '[2]' },
    { id: 3, value: 'she' },
    { id: 2, value: null },
  ]

  const filled = values.reduce((all, value) => peopleAfterEvent(all, update({ custom_profile_field: value })), people)
  const fields = [{ id: 1 }, { id: 3 }] as Parameters<typeof organizationAfterFields>[0]['custom_profile_fields']
  const left = organizationAfterFields(
    { ...filled, custom_profile_fields: fields },
    serverEvent('custom_profile_fields', { fields: [{ id: 3 }] }),
  )

  assert.deepEqual(filled.realm_users, [{ ...ben, profile_data: { 1: rendered, 3: { value: 'she' } } }])
  assert.deepEqual(left.realm_users, [{ ...ben, profile_data: { 3: { value: 'she' } } }])
  assert.deepEqual(left.custom_profile_fields, [{ id: 3 }])
})

test('an account that becomes visible replaces the one without a name; one that becomes invisible disappears', () => {
  const visible = peopleAfterEvent(
    people,
    serverEvent('realm_user', { op: 'add', person: { ...ben, full_name: 'Benjamin' } }),
  )
  const invisible = peopleAfterEvent(
    visible,
    serverEvent('realm_user', { op: 'remove', person: { user_id: 2, full_name: 'Unknown user' } }),
  )

  assert.deepEqual(
    visible.realm_users.map(({ full_name }) => full_name),
    ['Benjamin'],
  )
  assert.deepEqual(invisible.realm_users, [])
})

test('a status event leaves fields that it does not name, and clears those that it empties', () => {
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

test('settings change one at a time or several at once; other events of the organization change none', () => {
  const change = (fields: object) => changedSettings(serverEvent('realm', fields))

  assert.deepEqual(change({ op: 'update', property: 'name', value: 'Acme' }), { name: 'Acme' })
  assert.deepEqual(change({ op: 'update_dict', data: { invite_required: false } }), { invite_required: false })
  assert.equal(change({ op: 'deactivated' }), null)
})
