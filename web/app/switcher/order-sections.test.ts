import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderSections } from './order-sections.ts'

test('sections whose first entry starts with the query come first', () => {
  const section = (id: string, ...names: string[]) => ({ id, title: id, entries: names.map((name) => ({ name })) })
  const sections = [section('one', 'a map'), section('two', 'Mäp'), section('none'), section('three', 'maps')]

  assert.deepEqual(
    orderSections(sections, 'map').map(({ id }) => id),
    ['two', 'three', 'one'],
  )
})
