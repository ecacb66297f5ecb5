import type { Deed } from '../world.ts'

/** Messages for later. */
export const scheduledMessageDeeds: Record<string, Deed> = {
  schedule: ({ chat, channels }, who, pick) =>
    who.call('POST /scheduled_messages', {
      type: 'channel',
      to: pick(channels).id,
      topic: pick(['tea', '']),
      content: 'later',
      scheduled_delivery_timestamp: Math.floor(chat.clock.now()) + pick([60, 600]),
    }),
  change: async (_, who, pick) => {
    const { scheduled_messages: messages } = await who.call('GET /scheduled_messages')
    if (!messages?.length) return
    const { scheduled_message_id: id } = pick<{ scheduled_message_id: number }>(messages)
    if (pick.flip()) return who.call(`DELETE /scheduled_messages/${id}`)
    return who.call(`PATCH /scheduled_messages/${id}`, { content: 'later still' })
  },
  wait: ({ chat }, _, pick) => chat.clock.advance(pick([10, 61, 301])),
}
