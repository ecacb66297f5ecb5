import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHtml } from '../../message-html/parse-html.ts'
import { toRevisions, withWords } from './changes.ts'

const version = (more: object = {}) => ({
  topic: 'tea',
  content: 'x',
  rendered_content: '<p>x</p>',
  timestamp: 5,
  user_id: 1,
  ...more,
})

test('the edit history is newest first, with the kinds of each change', () => {
  const entries = toRevisions([
    version(),
    version({ prev_content: 'y', timestamp: 6 }),
    version({ prev_topic: 'milk', prev_stream: 2, stream: 3, timestamp: 7 }),
  ])

  assert.deepEqual(
    entries.map(({ timestamp, kinds }) => [timestamp, kinds]),
    [
      [7, ['topic', 'channel']],
      [6, ['text']],
      [5, ['sent']],
    ],
  )
})

test('insertions and deletions have labels for screen readers', () => {
  const html = '<p>a <span class="highlight_text_inserted">b</span><span class="highlight_text_deleted">c</span></p>'
  const text = (nodes: ReturnType<typeof withWords>): string =>
    nodes.map((node) => (typeof node === 'string' ? node : text(node.children))).join('')

  assert.equal(
    text(withWords(parseHtml(html, (one) => one))),
    'a  inserted: b end of insertion  deleted: c end of deletion ',
  )
})
