import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { type EditEntry, isMove, toHistoryJson, visibleHistory } from './edit-history.ts'

const said = { prev_content: 'old', prev_rendered_content: '<p>old</p>' }
const renamed = { prev_topic: 'tea', topic: 'coffee' }
const moved = { prev_stream: 1, stream: 2 }
const by = { user_id: 7, timestamp: 1000 }

const entries = fc.array(
  fc
    .record({ content: fc.boolean(), topic: fc.boolean(), channel: fc.boolean() })
    .map(({ content, topic, channel }): EditEntry => {
      return { ...by, ...(content && said), ...(topic && renamed), ...(channel && moved) }
    }),
)

test('with the policy "moves" nothing of what was said before is left, and no move is lost', () => {
  fc.assert(
    fc.property(entries, (history) => {
      const visible = visibleHistory(history, 'moves')

      assert(visible.every((entry) => !('prev_content' in entry) && !('prev_rendered_content' in entry)))
      assert(visible.every((entry) => 'prev_topic' in entry || 'prev_stream' in entry))
      const isOfMove = (entry: EditEntry) => entry.prev_topic !== undefined || entry.prev_stream !== undefined
      assert.equal(visible.length, history.filter(isOfMove).length)
    }),
  )
})

test('the policy "all" shows everything, the policy "none" nothing', () => {
  const history = [{ ...by, ...said }]

  assert.deepEqual(visibleHistory(history, 'all'), history)
  assert.deepEqual(visibleHistory(history, 'none'), [])
})

test('a change of channel or topic is a move, one of the content or of the resolved mark alone is none', () => {
  assert.equal(isMove({ ...by, ...renamed }), true)
  assert.equal(isMove({ ...by, ...moved, prev_topic: 'tea', topic: '✔ tea' }), true)
  assert.equal(isMove({ ...by, ...said, prev_topic: 'tea', topic: '✔ tea' }), false)
  assert.equal(isMove({ ...by, ...said }), false)
})

test('the name of the empty topic stands in both topics of an entry, unless the client handles the empty one', () => {
  const history = [
    { ...by, prev_topic: '', topic: 'tea' },
    { ...by, prev_topic: 'tea', topic: '' },
    { ...by, ...said },
  ]

  assert.deepEqual(toHistoryJson(history, false), [
    { ...by, prev_topic: 'general chat', topic: 'tea' },
    { ...by, prev_topic: 'tea', topic: 'general chat' },
    { ...by, ...said },
  ])
  assert.deepEqual(toHistoryJson(history, true), history)
})
