import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { refusalResponse } from '../../test/channels.ts'
import { startChat } from '../../test/harness.ts'

/** A text with U+0000, and the text as it is stored, with U+FFFD instead. */
const [given, stored] = ['a\0b 1', 'a\ufffdb 1']

const playground = { pygments_language: 'Python', url_template: 'https://python.example.com/{code}' }
const rule = { url_template: 'https://example.com/' }

test('names that are stored as the same text count as duplicates', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const make = (name: string) => [
    ada.call('POST /realm/profile_fields', { name, field_type: 1 }),
    ada.call('POST /realm/playgrounds', { ...playground, name }),
    ada.call('POST /realm/filters', { ...rule, pattern: name }),
  ]
  await Promise.all(make(given))

  const [again, asKept] = [await Promise.all(make(given)), await Promise.all(make(stored))]

  const taken = [
    refusalResponse('A field with that label already exists.'),
    refusalResponse('Realm playground with this Realm, Pygments language and Name already exists.'),
    refusalResponse('A linkifier with this pattern already exists.'),
  ]
  assert.deepEqual(again, taken)
  assert.deepEqual(asKept, taken)
})

test('a field cannot be renamed to the stored form of another name', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  await ada.succeed('POST /realm/profile_fields', { name: stored, field_type: 1 })
  const { id } = await ada.succeed('POST /realm/profile_fields', { name: 'Phone', field_type: 1 })

  const renamed = await ada.call(`PATCH /realm/profile_fields/${id}`, { name: given })

  assert.deepEqual(renamed, refusalResponse('A field with that label already exists.'))
})

test('the response to a changed setting contains the stored value', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })

  const { description } = await ada.succeed('PATCH /realm', { description: given })

  assert.equal(description, stored)
})
