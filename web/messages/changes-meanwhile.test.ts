import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from './message.ts'
import { noteChange, type Timeline, withChangesMeanwhile } from './timeline.ts'

const narrow = { kind: 'topic', channelId: 1, topic: 'tea' } as const
const message = (id: number, content: string) => ({ id, content }) as Message

/** Starts to load messages. `respond` delivers the response and returns the loaded timeline. */
function startLoading() {
  const { promise, resolve } = Promise.withResolvers<Timeline>()
  const loaded = withChangesMeanwhile(narrow, () => promise)
  const respond = (...messages: Message[]) => {
    resolve({ messages, hasOldest: true, hasNewest: true })
    return loaded
  }
  return { respond }
}

const edit = (edited: number, content: string) =>
  noteChange((known) => (known.id === edited ? { ...known, content } : known))

test('changes that arrive before the response are applied to it, in their order', async () => {
  edit(1, 'too early')
  const { respond } = startLoading()
  edit(1, 'corrected')
  edit(1, 'corrected twice')
  noteChange(({ id }, { kind }) =>
    id === 2 && kind === 'topic' ? null : message(id, id === 1 ? 'corrected twice' : ''),
  )

  const { messages, hasNewest } = await respond(message(1, 'first'), message(2, 'deleted'), message(3, 'other'))

  assert.deepEqual(messages, [message(1, 'corrected twice'), message(3, '')])
  assert.equal(hasNewest, true)
})

test('a response without changes is returned as it is, and later changes are not for it', async () => {
  const { respond } = startLoading()
  const timeline = await respond(message(1, 'first'))
  edit(1, 'later')
  assert.deepEqual(timeline.messages, [message(1, 'first')])
})
