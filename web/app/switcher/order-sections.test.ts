import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EntryKind, orderSections } from './entries.ts'

const section = (...entries: [EntryKind, string][]) => ({ entries: entries.map(([kind, name]) => ({ kind, name })) })

/** Returns the names of all entries, in the order in which they are shown. */
const shown = (sections: ReturnType<typeof section>[], query: string) =>
  orderSections(sections, query).flatMap(({ entries }) => entries.map(({ name }) => name))

test('a command that contains the word comes before a search for it', () => {
  const sections = [
    section(['topic', 'a sandark road']),
    section(['message', 'Search messages for “dark”']),
    section(['command', 'Switch to the dark theme']),
  ]

  assert.deepEqual(shown(sections, 'dark'), [
    'Switch to the dark theme',
    'a sandark road',
    'Search messages for “dark”',
  ])
})

test('sections whose first entry starts with the query come first, and empty ones are left out', () => {
  const sections = [section(['topic', 'a map']), section(['page', 'Mäp folder']), section(), section(['page', 'maps'])]

  assert.deepEqual(shown(sections, 'map'), ['Mäp folder', 'maps', 'a map'])
  assert.equal(orderSections(sections, 'map').length, 3)
})

test('an exact name comes first, whatever it names', () => {
  const people = section(['person', 'Cleo'], ['conversation', 'Cleo, Ben'], ['group', 'cleo fans'])
  const topics = section(['channel', 'cleo-news'], ['topic', 'Cléo'])

  assert.deepEqual(shown([topics, people], 'cleo').slice(0, 2), ['Cleo', 'Cleo, Ben'])
  assert.deepEqual(shown([topics, section(['conversation', 'Cleo, Ben'])], 'cleo').slice(0, 2), ['Cléo', 'cleo-news'])
  assert.deepEqual(shown([section(['channel', 'inboxes']), section(['page', 'Inbox'])], 'inbox')[0], 'Inbox')
})

test('among names that start with the query, channels come before people, people before topics and conversations', () => {
  const people = section(['person', 'Cleo Hopper'], ['conversation', 'Cleo Hopper, Ben'])
  const query = 'cleo'

  assert.deepEqual(shown([section(['topic', 'cleo’s birthday']), people], query), [
    'Cleo Hopper',
    'Cleo Hopper, Ben',
    'cleo’s birthday',
  ])
  assert.deepEqual(shown([people, section(['channel', 'cleo-news'])], query)[0], 'cleo-news')
})

test('people are found by their last name as by their first', () => {
  const people = section(['person', 'Anna Smith'], ['person', 'Smith Jones'], ['conversation', 'Ben, Anna Smith'])

  assert.deepEqual(shown([section(['topic', 'smith and sons']), people], 'smith')[0], 'Anna Smith')
})

test('without a query, the order stays', () => {
  const sections = [section(['topic', 'zebras']), section(['channel', 'design'], ['person', 'Ada'])]

  assert.deepEqual(shown(sections, ' '), ['zebras', 'design', 'Ada'])
})

test('an entry matches by its other name, too', () => {
  const page = { kind: 'page' as const, name: 'Create channel', also: 'New channel' }
  const sections = [section(['topic', 'a new channel map']), { entries: [page] }]

  assert.equal(orderSections(sections, 'new channel')[0]!.entries[0]!.name, 'Create channel')
})
