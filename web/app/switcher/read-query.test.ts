import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderSections } from './order-sections.ts'
import { readQuery } from './read-query.ts'

test('the first character of a query selects what is searched', () => {
  assert.deepEqual(readQuery('print'), { scope: 'all', words: 'print' })
  assert.deepEqual(readQuery(' # print '), { scope: 'conversations', words: 'print' })
  assert.deepEqual(readQuery('@bob'), { scope: 'people', words: 'bob' })
  assert.deepEqual(readQuery('>'), { scope: 'commands', words: '' })
})

test('sections whose first entry starts with the query come first', () => {
  const section = (id: string, ...names: string[]) => ({ id, title: id, entries: names.map((name) => ({ name })) })
  const sections = [section('one', 'a map'), section('two', 'Mäp'), section('none'), section('three', 'maps')]

  assert.deepEqual(
    orderSections(sections, 'map').map(({ id }) => id),
    ['two', 'three', 'one'],
  )
})
