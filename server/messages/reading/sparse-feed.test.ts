import assert from 'node:assert/strict'
import test from 'node:test'
import { viewerOf } from '#groups/viewer.ts'
import { findUser } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import { countRows } from '../../../test/count-rows.ts'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'
import { sendToChannel } from '../../../test/messages.ts'
import { sized } from '../../../test/size.ts'
import { listMessages, type MessageRange } from './list-messages.ts'

const format = {
  appliesMarkdown: true,
  allowsEmptyTopic: false,
  computesGravatar: true,
  extraEmojiType: 'zulip_extra_emoji',
} as const

const ranges: Record<string, MessageRange> = {
  'the newest 100': { anchor: 10_000_000_000_000_000, before: 100, after: 0, includesAnchor: true },
  'the oldest 100': { anchor: 0, before: 0, after: 100, includesAnchor: true },
  'around the first unread one': { anchor: null, before: 50, after: 50, includesAnchor: true },
}

/** Adds `count` copies of a message. No user receives the copies. */
async function copy(chat: Chat, messageId: number, count: number): Promise<void> {
  await chat.app.services.transaction(async (tx) => {
    const row = await tx.db.selectFrom('messages').selectAll().where('id', '=', messageId).executeTakeFirstOrThrow()
    const newest = await tx.db
      .selectFrom('messages')
      .select(({ fn }) => fn.max<number>('id').as('id'))
      .executeTakeFirstOrThrow()
    const copies = Array.from({ length: count }, (_, number) => ({ ...row, id: newest.id + 1 + number }))
    for (let start = 0; start < count; start += 500)
      await tx
        .insertInto('messages')
        .values(copies.slice(start, start + 500))
        .execute()
  })
}

async function actorOf(chat: Chat, { id, realm }: Person): Promise<Actor> {
  const user = await findUser(chat.app.services.db, id)
  assert(user !== null)
  return { ...user, realm }
}

test('the combined feed examines few of the messages that the reader did not receive', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const [shared, other] = [await chat.channel('shared', [ada, ben]), await chat.channel('other', [ada])]
  await sendToChannel(ada, shared)
  const copied = await sendToChannel(ada, other)
  const reader = await actorOf(chat, ben)
  const counts = async () => {
    const results: number[] = []
    for (const range of Object.values(ranges))
      for (const table of ['messages', 'userMessages'])
        results.push(
          await countRows(chat, table, async (db) => {
            const page = await listMessages(viewerOf(db, reader, chat.clock.now()), { terms: [], range }, format)
            assert.equal(page.rows.length, 1)
          }),
        )
    return results
  }

  await copy(chat, copied, sized(3000, 100_000))

  for (const count of await counts()) assert.ok(count < 1200, `${count} rows`)
})
