import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProfileField } from '../store/organization.ts'
import { choicesOf, displayedValue, FieldKind } from './profile-fields.ts'

const accounts = {
  github: { text: 'GitHub', name: 'GitHub username', hint: '', url_pattern: 'https://github.com/%(username)s' },
}

const field = (type: number, data: object = {}): ProfileField => ({
  ...{ id: 1, name: 'Field', type, hint: '', field_data: JSON.stringify(data), order: 1 },
  ...{ required: false, editable_by_user: true },
})

const show = (type: number, value: string, data?: object) => displayedValue(field(type, data), { value }, accounts)

test('only web URLs become links', () => {
  assert.deepEqual(show(FieldKind.link, 'https://example.com/a?b'), {
    as: 'link',
    text: 'https://example.com/a?b',
    address: 'https://example.com/a?b',
  })
  for (const other of ['javascript:alert(1)', 'ftp://example.com/', 'data:text/html,hi', '//example.com', 'nonsense'])
    assert.deepEqual(show(FieldKind.link, other), { as: 'text', text: other })
})

test("an external account links to its site, and its name can't change the site", () => {
  const custom = (url_pattern: string) => ({ subtype: 'custom', url_pattern })
  const addressOf = (name: string, data: object) => {
    const shown = show(FieldKind.externalAccount, name, data)
    return shown?.as === 'link' ? shown.address : null
  }

  assert.equal(addressOf('ada', { subtype: 'github' }), 'https://github.com/ada')
  assert.equal(addressOf('a/$&', custom('https://chat.example/u/%(username)s')), 'https://chat.example/u/a%2F%24%26')
  assert.equal(addressOf('evil.example/', custom('https://%(username)s.chat.example')), null)
  assert.equal(addressOf('ada', { subtype: 'gone' }), null)
  assert.equal(addressOf('alert(1)', custom('javascript:%(username)s')), null)
})

test('a date is formatted the same in all time zones', () => {
  const shown = show(FieldKind.date, '2030-01-05')

  assert.match(shown?.as === 'text' ? shown.text : '', /January 5, 2030|5 January 2030/)
})

test('options keep their order, and a removed option has no value', () => {
  const editors = { b: { text: 'Vim', order: '2' }, a: { text: 'Emacs', order: '10' }, c: { text: 'Ed', order: '1' } }

  const texts = choicesOf(field(FieldKind.choice, editors)).map(({ text }) => text)

  assert.deepEqual(texts, ['Ed', 'Vim', 'Emacs'])
  assert.deepEqual(show(FieldKind.choice, 'b', editors), { as: 'text', text: 'Vim' })
  assert.equal(show(FieldKind.choice, 'd', editors), null)
})

test('text is shown as the server rendered it, people by their ids', () => {
  const rendered = displayedValue(field(FieldKind.longText), { value: '**hi**', rendered_value: '<p>hi</p>' }, accounts)

  assert.deepEqual(rendered, { as: 'html', html: '<p>hi</p>' })
  assert.deepEqual(show(FieldKind.pronouns, 'she'), { as: 'text', text: 'she' })
  assert.deepEqual(show(FieldKind.people, '[3,4]'), { as: 'people', ids: [3, 4] })
})
