import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rank, toSearchIndex } from './rank.ts'

const index = toSearchIndex(
  ['Grace Hopper', 'Anna Dahl', 'Hanna Andersson', 'Johan Müller', '王小明', 'Zoë An'],
  (name) => name,
)
const find = (query: string, weightOf?: (name: string) => number) => rank(index, query, 3, weightOf)

test('names that start with the query come first, then words, then the rest', () => {
  assert.deepEqual(find('an'), ['Anna Dahl', 'Hanna Andersson', 'Zoë An'])
  assert.deepEqual(find('hop'), ['Grace Hopper'])
})

test('a name that is the query comes before all that start with it, whatever their weights', () => {
  const channels = toSearchIndex(['icons-old', 'Icons', 'icons-new'], (name) => name)

  assert.deepEqual(
    rank(channels, 'icons', 2, (name) => (name === 'icons-new' ? -3 : 0)),
    ['Icons', 'icons-new'],
  )
})

test('accents, case and scripts do not matter, and one slip is forgiven', () => {
  assert.deepEqual(find('MULLER'), ['Johan Müller'])
  assert.deepEqual(find('小'), ['王小明'])
  assert.deepEqual(find('hoper'), ['Grace Hopper'])
  assert.deepEqual(find('nobody at all'), [])
})

test('weights put recent partners first, but not before better matches of other kinds', () => {
  assert.deepEqual(find('an', (name) => (name === 'Zoë An' ? -1 : 0))[0], 'Zoë An')
  assert.deepEqual(find('anna', (name) => (name === 'Hanna Andersson' ? -1 : 0))[0], 'Anna Dahl')
  assert.deepEqual(find('', (name) => (name === '王小明' ? -1 : 0))[0], '王小明')
})
