import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSettings, type SettingEntry } from './settings-index.ts'

const entries: SettingEntry[] = [
  { label: 'Escape key opens the home view', within: 'Settings › Preferences', to: '/a' },
  { label: 'Home view', within: 'Settings › Preferences', to: '/b', texts: ['Inbox', 'Recent'] },
  { label: 'Café hours', within: 'Organization › Profile', to: '/c' },
]
const found = (query: string) => findSettings(entries, query).map(({ label }) => label)

test('settings are found by words of their label, section and values, the best label first', () => {
  assert.deepEqual(found('home'), ['Home view', 'Escape key opens the home view'])
  assert.deepEqual(found('  VIEW preferences '), ['Escape key opens the home view', 'Home view'])
  assert.deepEqual(found('inbox'), ['Home view'])
  assert.deepEqual(found('cafe'), ['Café hours'])
})

test('a query without words or with an unknown word finds nothing', () => {
  assert.deepEqual(found(' '), [])
  assert.deepEqual(found('home zebra'), [])
})
