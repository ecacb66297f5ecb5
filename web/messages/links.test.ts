import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkToMessage, quoteOf } from './links.ts'
import type { Message } from './message.ts'

const HERE = 'https://chat.example'

const channelMessage = {
  id: 12,
  type: 'stream',
  stream_id: 3,
  display_recipient: 'new design',
  subject: 'v1.0 (50%) / é',
  sender_id: 8,
  sender_full_name: 'Ben',
} as unknown as Message

const directMessage = {
  id: 13,
  type: 'private',
  display_recipient: [{ id: 10 }, { id: 9 }, { id: 8 }],
} as unknown as Message

test('a link names the conversation and message in the form of all Zulip clients', () => {
  assert.equal(
    linkToMessage(channelMessage, HERE, 10),
    'https://chat.example/#narrow/channel/3-new-design/topic/v1.2E0.20.2850.25.29.20.2F.20.C3.A9/near/12',
  )
  assert.equal(linkToMessage(directMessage, HERE, 10), 'https://chat.example/#narrow/dm/8,9-dm/near/13')
})

test('a quote names the sender, and its fence is longer than any inside', () => {
  assert.match(
    quoteOf(channelMessage, 'Hello', HERE, 10),
    /^@_\*\*Ben\|8\*\* \[said\]\(https:\S+\):\n```quote\nHello\n```\n$/,
  )
  assert.match(quoteOf(channelMessage, 'a\n````js\nb\n````', HERE, 10), /:\n`````quote\na\n````js\nb\n````\n`````\n$/)
})
