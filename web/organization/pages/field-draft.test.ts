import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FieldKind } from '../../people/profile-fields.ts'
import { missingFields, NEW_FIELD, refusedField, toDraft, toParams, withNewChoice } from './field-draft.ts'

const flags = { display_in_profile_summary: false, required: false, editable_by_user: true }
const choices = [
  { key: '3', text: 'Vim ' },
  { key: '0', text: ' ' },
  { key: 'ed', text: 'Ed' },
]
const editor = { ...NEW_FIELD, type: FieldKind.choice, name: ' Editor', choices }

test('options are sent in their order with their keys, without empty ones', () => {
  const sent = toParams(editor)

  const data = { '3': { text: 'Vim', order: '1' }, ed: { text: 'Ed', order: '2' } }
  assert.deepEqual(sent, { ...flags, name: 'Editor', hint: '', field_data: data })
  const field = { id: 1, type: FieldKind.choice, name: 'Editor', hint: '', field_data: JSON.stringify(data), order: 1 }
  assert.deepEqual(toParams(toDraft({ ...field, required: false, editable_by_user: true })), sent)
})

test('a new option has a key that no option has or had', () => {
  const added = withNewChoice([{ key: 'ed', text: 'Ed' }], choices)

  assert.deepEqual(added, [
    { key: 'ed', text: 'Ed' },
    { key: '4', text: '' },
  ])
  assert.equal(withNewChoice([], [])[0]?.key, '0')
})

test('a known site provides the name, and a custom one has a URL pattern', () => {
  const account = {
    ...NEW_FIELD,
    type: FieldKind.externalAccount,
    name: 'Forge',
    pattern: 'https://forge.example/%(username)s',
  }

  assert.deepEqual(toParams({ ...account, site: 'github' }), { ...flags, field_data: { subtype: 'github' } })
  assert.deepEqual(toParams(account), {
    ...flags,
    ...{ name: 'Forge', hint: '', field_data: { subtype: 'custom', url_pattern: account.pattern } },
  })
})

test("fields that don't fit the summary are not sent as part of it", () => {
  const sent = toParams({ ...NEW_FIELD, name: 'About', type: FieldKind.longText, isInSummary: true })

  assert.equal(sent.display_in_profile_summary, false)
})

test('missing values are reported at their part', () => {
  const partsOf = (draft: Partial<typeof NEW_FIELD>) =>
    Object.keys(missingFields({ ...NEW_FIELD, name: 'Field', ...draft }))

  assert.deepEqual(partsOf({}), [])
  assert.deepEqual(partsOf({ name: ' ' }), ['name'])
  assert.deepEqual(partsOf({ type: FieldKind.choice }), ['choices'])
  assert.deepEqual(partsOf({ type: FieldKind.externalAccount, name: '' }), ['name', 'pattern'])
  assert.deepEqual(partsOf({ type: FieldKind.externalAccount, site: 'github', name: '' }), [])
})

test('a server error is shown at its part', () => {
  const github = { ...NEW_FIELD, type: FieldKind.externalAccount, site: 'github' }

  assert.equal(refusedField(editor, 'A field with that label already exists.'), 'name')
  assert.equal(refusedField(github, 'A field with that label already exists.'), 'site')
  assert.equal(refusedField(editor, 'Field must not have duplicate choices.'), 'choices')
  assert.equal(refusedField(NEW_FIELD, "URL pattern must contain '%(username)s'."), 'pattern')
  assert.equal(refusedField(NEW_FIELD, 'field_data["url_pattern"] is not a URL'), 'pattern')
  assert.equal(
    refusedField(NEW_FIELD, 'Only 2 custom profile fields can be displayed in the profile summary.'),
    'isInSummary',
  )
  assert.equal(refusedField(NEW_FIELD, 'Must be an organization administrator'), null)
})
