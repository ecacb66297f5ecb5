import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderSections } from './order-sections.ts'

test('a command that contains the word comes before a search for it', () => {
  const section = (id: string, name: string) => ({ id, title: id, entries: [{ name }] })
  const sections = [
    section('conversations', 'a sandark road'),
    section('messages', 'Search messages for “dark”'),
    section('commands', 'Switch to the dark theme'),
  ]

  assert.deepEqual(
    orderSections(sections, 'dark').map(({ id }) => id),
    ['commands', 'conversations', 'messages'],
  )
})

test('sections whose first entry starts with the query come first', () => {
  const section = (id: string, ...names: string[]) => ({ id, title: id, entries: names.map((name) => ({ name })) })
  const sections = [section('one', 'a map'), section('two', 'Mäp'), section('none'), section('three', 'maps')]

  assert.deepEqual(
    orderSections(sections, 'map').map(({ id }) => id),
    ['two', 'three', 'one'],
  )
})
