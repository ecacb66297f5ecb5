import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findPages } from './sections.ts'

const page = (title: string, ...body: string[]) => ({ title, summary: '', body })
const pages = new Map([
  ['mute', page('Mute a topic', 'It is not counted.')],
  ['star', page('Star messages', 'Keep a topic in sight.')],
])

test('pages are found by all of their words, those with the words in their title first', () => {
  assert.deepEqual(findPages(pages, 'topic'), ['mute', 'star'])
  assert.deepEqual(findPages(pages, 'sight STAR'), ['star'])
  assert.deepEqual(findPages(pages, 'star counted'), [])
  assert.deepEqual(findPages(pages, ' '), ['mute', 'star'])
})
