import { deleteMessagesSentBefore } from '#messages/jobs/delete-expired-messages.ts'
import { sendFiles } from '../../files.ts'
import type { Person } from '../../harness.ts'
import { type Action, type Pick, someChannel, type World } from '../world.ts'

const TOPICS = ['tea', 'Tea', 'Lunch plans', '✔ tea', '']
const TEXTS = ['hello', '@**all** tea time', '@**Ben** please', '@*makers* look', '/me waits', '@**topic**']
const FLAGS = ['read', 'read', 'starred', 'collapsed']

type MessageFilter = { by?: Person; inChannel?: boolean }

/** Returns the id of one of the newest matching messages. */
async function messageId({ chat }: World, pick: Pick, { by, inChannel }: MessageFilter = {}): Promise<number> {
  const rows = await chat.app.services.db
    .selectFrom('messages')
    .select('id')
    .$if(by !== undefined, (messages) => messages.where('senderId', '=', by?.id ?? 0))
    .$if(inChannel === true, (messages) => messages.where('channelId', 'is not', null))
    .orderBy('id', 'desc')
    .limit(8)
    .execute()
  return pick(rows)?.id ?? 0
}

/** Sending, reading, editing, moving and deleting messages, and their retention. */
export const messageActions: Record<string, Action> = {
  send: async (world, who, pick) =>
    who.call('POST /messages', {
      type: 'channel',
      to: (await someChannel(world, pick)).id,
      topic: pick(TOPICS),
      content: pick(TEXTS),
    }),
  sendDirect: ({ people }, who, pick) =>
    who.call('POST /messages', { type: 'direct', to: [pick(people).id, pick(people).id], content: pick(TEXTS) }),
  flag: async (world, who, pick) =>
    who.call('POST /messages/flags', {
      messages: [await messageId(world, pick)],
      op: pick(['add', 'remove']),
      flag: pick(FLAGS),
    }),
  flagInNarrow: async (world, who, pick) =>
    who.call('POST /messages/flags/narrow', {
      anchor: pick(['newest', 'oldest', 'first_unread']),
      num_before: 3,
      num_after: 3,
      narrow: pick<unknown[]>([[], [['channel', (await someChannel(world, pick)).id]], [['is', 'dm']]]),
      op: pick(['add', 'remove']),
      flag: pick(FLAGS),
    }),
  readAll: async (world, who, pick) => {
    const stream_id = (await someChannel(world, pick)).id
    const [route, params] = pick([
      ['POST /mark_all_as_read', {}],
      ['POST /mark_stream_as_read', { stream_id }],
      ['POST /mark_topic_as_read', { stream_id, topic_name: 'tea' }],
    ] as const)
    return who.call(route, params)
  },
  react: async (world, who, pick) =>
    who.call(`${pick(['POST', 'DELETE'])} /messages/${await messageId(world, pick)}/reactions`, { emoji_name: 'tada' }),
  edit: async (world, who, pick) =>
    who.call(`PATCH /messages/${await messageId(world, pick, { by: who })}`, { content: pick(TEXTS) }),
  move: async (world, who, pick) =>
    who.call(`PATCH /messages/${await messageId(world, pick, { inChannel: true })}`, {
      ...pick<object>([
        { topic: pick(TOPICS) },
        { topic: pick(TOPICS), content: pick(TEXTS) },
        { stream_id: (await someChannel(world, pick)).id },
        { stream_id: (await someChannel(world, pick)).id, topic: pick(TOPICS) },
      ]),
      propagate_mode: pick(['change_one', 'change_later', 'change_all']),
      send_notification_to_new_thread: pick.flip(),
      send_notification_to_old_thread: pick.flip(),
    }),
  delete: async (world, who, pick) => who.call(`DELETE /messages/${await messageId(world, pick)}`),
  deleteTopic: async (world, who, pick) =>
    who.call(`POST /streams/${(await someChannel(world, pick)).id}/delete_topic`, { topic_name: pick(TOPICS) }),
  expire: async (world, _, pick) => {
    const { chat } = world
    const conversations = await chat.app.services.db.selectFrom('conversations').select('id').orderBy('id').execute()
    const spot = pick([
      { channelId: (await someChannel(world, pick)).id, conversationId: 0 },
      { channelId: 0, conversationId: pick(conversations).id },
    ])
    await chat.app.services.transaction((tx) =>
      deleteMessagesSentBefore(tx, { realmId: chat.realm.id, ...spot }, tx.now + 1),
    )
  },
  attach: async (world, who, pick) => {
    const { url } = await sendFiles(world.chat, who, '/user_uploads', { bytes: 'hello' })
    const to = (await someChannel(world, pick)).id
    return who.call('POST /messages', { type: 'channel', to, topic: pick(TOPICS), content: `[file](${url})` })
  },
  deleteAttachment: async (_, who, pick) => {
    const { attachments } = await who.call('GET /attachments')
    if (!attachments?.length) return
    return who.call(`DELETE /attachments/${pick<{ id: number }>(attachments).id}`)
  },
}
