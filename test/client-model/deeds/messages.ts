import type { Deed, World } from '../world.ts'

const TOPICS = ['tea', 'Tea', 'Lunch plans', '✔ tea', '']
const TEXTS = ['hello', '@**all** tea time', '@**Ben** please', '@*makers* look', '/me waits', '@**topic**']

const channelOf = ({ channels }: World, pick: Parameters<Deed>[2]) => pick(channels)

/** The id of one of the newer messages. */
async function messageId({ chat }: World, pick: Parameters<Deed>[2]): Promise<number> {
  const rows = await chat.app.services.db.selectFrom('messages').select('id').orderBy('id', 'desc').limit(8).execute()
  return pick(rows)?.id ?? 0
}

/** Sending, reading, editing, moving and deleting. */
export const messageDeeds: Record<string, Deed> = {
  say: (world, who, pick) =>
    who.call('POST /messages', {
      type: 'channel',
      to: [channelOf(world, pick).name],
      topic: pick(TOPICS),
      content: pick(TEXTS),
    }),
  tell: ({ people }, who, pick) =>
    who.call('POST /messages', { type: 'direct', to: [pick(people).id, pick(people).id], content: pick(TEXTS) }),
  flag: async (world, who, pick) =>
    who.call('POST /messages/flags', {
      messages: [await messageId(world, pick)],
      op: pick(['add', 'remove']),
      flag: pick(['read', 'read', 'starred', 'collapsed']),
    }),
  flagThose: (world, who, pick) =>
    who.call('POST /messages/flags/narrow', {
      anchor: 'newest',
      num_before: pick([1, 5]),
      num_after: 0,
      narrow: pick.flip() ? [['channel', channelOf(world, pick).name]] : [],
      op: pick(['add', 'remove']),
      flag: pick(['read', 'starred']),
    }),
  readAll: (world, who, pick) => {
    const stream_id = channelOf(world, pick).id
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
    who.call(`PATCH /messages/${await messageId(world, pick)}`, { content: pick(TEXTS) }),
  move: async (world, who, pick) =>
    who.call(`PATCH /messages/${await messageId(world, pick)}`, {
      ...(pick.flip() && { topic: pick(TOPICS) }),
      ...(pick.flip() && { stream_id: channelOf(world, pick).id }),
      propagate_mode: pick(['change_one', 'change_later', 'change_all']),
      send_notification_to_new_thread: pick.flip(),
      send_notification_to_old_thread: pick.flip(),
    }),
  deleteTopic: (world, who, pick) =>
    who.call(`POST /streams/${channelOf(world, pick).id}/delete_topic`, { topic_name: pick(TOPICS) }),
  delete: async (world, who, pick) => who.call(`DELETE /messages/${await messageId(world, pick)}`),
}
