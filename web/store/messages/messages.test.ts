import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryClient } from '../query-client.ts'
import type { Message } from './message.ts'
import { timeline } from './messages.ts'
import type { Timeline } from './timeline.ts'

test('a timeline at a message opens with a cached one of its narrow, but not with previews or the most relevant messages', () => {
  const narrow = { kind: 'channel', channelId: 1 } as const
  const message = { id: 7, flags: [] as string[] } as Partial<Message> as Message
  const known: Timeline = { messages: [message], hasOldest: false, hasNewest: true }
  const initial = () => (timeline(narrow, 7).initialData as () => Timeline | undefined)()
  queryClient.setQueryData(['messages', narrow, 'previews'], known)
  queryClient.setQueryData(['messages', narrow, 'relevance'], known)
  assert.equal(initial(), undefined)
  queryClient.setQueryData(['messages', narrow, 'newest'], known)
  assert.equal(initial(), known)
})
