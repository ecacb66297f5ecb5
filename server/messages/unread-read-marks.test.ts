import assert from 'node:assert/strict'
import test from 'node:test'
import { fc } from '../../test/fast-check.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { sendDirect, sendToChannel } from '../../test/messages.ts'
import { sized } from '../../test/size.ts'
import { channelContainer, findContainers, findUnreadIds } from './unread.ts'

/** Returns the ids of the messages that are unread according to the records. */
async function unreadInRecords(chat: Chat, person: Person): Promise<number[]> {
  const rows = await chat.app.services.db
    .selectFrom('userMessages')
    .select(['messageId', 'flags'])
    .where('userId', '=', person.id)
    .orderBy('messageId')
    .execute()
  return rows.filter(({ flags }) => (flags & 1) === 0).map(({ messageId }) => messageId)
}

async function foundUnread(chat: Chat, person: Person): Promise<number[]> {
  const { db } = chat.app.services
  const containers = await findContainers(db, person.id)
  const found = await Promise.all(containers.map((container) => findUnreadIds(db, person.id, container)))
  return found.flat().sort((a, b) => a - b)
}

type Step = { kind: 'send' | 'sendDirect' | 'read' | 'unread' | 'move' | 'markChannel'; at: number; to: number }

const steps = fc.array(
  fc.record<Step>({
    kind: fc.constantFrom('send', 'sendDirect', 'read', 'unread', 'move', 'markChannel'),
    at: fc.nat(20),
    to: fc.nat(1),
  }),
  { minLength: 10, maxLength: 30 },
)

test('read marks never hide unread messages, whatever is sent, read, marked as unread or moved', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const chat = await startChat()
      const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
      const channels = [await chat.channel('one', [ada, ben]), await chat.channel('two', [ada, ben])]
      const sentIds = [await sendToChannel(ada, channels[0] as { name: string })]

      for (const { kind, at, to } of given) {
        const channel = channels[to] as { id: number; name: string }
        const id = sentIds[at % sentIds.length] as number
        const flag = { flag: 'read', messages: [id] }
        if (kind === 'send') sentIds.push(await sendToChannel(ada, channel))
        if (kind === 'sendDirect') sentIds.push(await sendDirect(ada, [ben]))
        if (kind === 'read') await ben.succeed('POST /messages/flags', { ...flag, op: 'add' })
        if (kind === 'unread') await ben.succeed('POST /messages/flags', { ...flag, op: 'remove' })
        if (kind === 'move') await ada.call(`PATCH /messages/${id}`, { stream_id: channel.id })
        if (kind === 'markChannel') await ben.succeed('POST /mark_stream_as_read', { stream_id: channel.id })
      }

      assert.deepEqual(await foundUnread(chat, ben), await unreadInRecords(chat, ben))
    }),
    { numRuns: sized(8, 25) },
  )
})

test('the read mark advances to the first unread message', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const ids = [
    await sendToChannel(ada, design),
    await sendToChannel(ada, design),
    await sendToChannel(ada, design),
  ] as const
  const mark = async () => {
    const rows = await chat.app.services.db.selectFrom('readMarks').selectAll().execute()
    return rows.map(({ messageId }) => messageId)
  }
  const read = (messages: number[]) => ben.succeed('POST /messages/flags', { op: 'add', flag: 'read', messages })

  await read([ids[1]])
  assert.deepEqual(await mark(), [ids[0]])
  await read([ids[0]])
  assert.deepEqual(await mark(), [ids[2]])
  await read([ids[2]])
  assert.deepEqual(await mark(), [ids[2] + 1])
  assert.deepEqual(await findUnreadIds(chat.app.services.db, ben.id, channelContainer(design.id)), [])
})

test('the read mark passes any number of read messages that follow one another', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const ids: number[] = []
  for (let count = 0; count < 60; count++) ids.push(await sendToChannel(ada, design))
  const [first, ...others] = ids as [number, ...number[]]

  for (const messages of [others.slice(0, -1), [first]])
    await ben.succeed('POST /messages/flags', { messages, op: 'add', flag: 'read' })

  const rows = await chat.app.services.db.selectFrom('readMarks').selectAll().execute()
  assert.deepEqual(
    rows.map(({ messageId }) => messageId),
    [ids.at(-1)],
  )
})
