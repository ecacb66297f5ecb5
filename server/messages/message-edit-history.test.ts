import assert from 'node:assert/strict'
import test from 'node:test'
import { fc } from '../../test/fast-check.ts'
import { type EditEntry, isMove, toHistoryJson, visibleHistory } from './message.ts'

const edited = { prev_content: 'old', prev_rendered_content: '<p>old</p>' }
const renamed = { prev_topic: 'tea', topic: 'coffee' }
const moved = { prev_stream: 1, stream: 2 }
const author = { user_id: 7, timestamp: 1000 }

const entries = fc.array(
  fc
    .record({ content: fc.boolean(), topic: fc.boolean(), channel: fc.boolean() })
    .map(({ content, topic, channel }): EditEntry => {
      return { ...author, ...(content && edited), ...(topic && renamed), ...(channel && moved) }
    }),
)

test('the policy "moves" hides all earlier content and keeps all moves', () => {
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
  const history = [{ ...author, ...edited }]

  assert.deepEqual(visibleHistory(history, 'all'), history)
  assert.deepEqual(visibleHistory(history, 'none'), [])
})

test('changes to the channel or topic are moves, but changes to the content or the resolved prefix alone are not', () => {
  assert.equal(isMove({ ...author, ...renamed }), true)
  assert.equal(isMove({ ...author, ...moved, prev_topic: 'tea', topic: '✔ tea' }), true)
  assert.equal(isMove({ ...author, ...edited, prev_topic: 'tea', topic: '✔ tea' }), false)
  assert.equal(isMove({ ...author, ...edited }), false)
})

test('both topics of an entry show the name of the empty topic, unless the client supports empty topic names', () => {
  const history = [
    { ...author, prev_topic: '', topic: 'tea' },
    { ...author, prev_topic: 'tea', topic: '' },
    { ...author, ...edited },
  ]

  assert.deepEqual(toHistoryJson(history, false), [
    { ...author, prev_topic: 'general chat', topic: 'tea' },
    { ...author, prev_topic: 'tea', topic: 'general chat' },
    { ...author, ...edited },
  ])
  assert.deepEqual(toHistoryJson(history, true), history)
})
