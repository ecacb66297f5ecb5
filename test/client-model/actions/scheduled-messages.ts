import { type Action, someChannel } from '../world.ts'

export const scheduledMessageActions: Record<string, Action> = {
  schedule: async (world, who, pick) =>
    who.call('POST /scheduled_messages', {
      ...(pick.flip()
        ? { type: 'channel', to: (await someChannel(world, pick)).id, topic: pick(['tea', '']) }
        : { type: 'direct', to: [pick(world.people).id] }),
      content: 'later',
      scheduled_delivery_timestamp: Math.floor(world.chat.clock.now()) + pick([60, 600]),
    }),
  change: async (world, who, pick) => {
    const { scheduled_messages: messages } = await who.call('GET /scheduled_messages')
    if (!messages?.length) return
    const { scheduled_message_id: id } = pick<{ scheduled_message_id: number }>(messages)
    if (pick.flip()) return who.call(`DELETE /scheduled_messages/${id}`)
    return who.call(`PATCH /scheduled_messages/${id}`, {
      content: 'later still',
      ...(pick.flip() && { scheduled_delivery_timestamp: Math.floor(world.chat.clock.now()) + pick([60, 600]) }),
      ...(pick.flip() && { type: 'channel', to: (await someChannel(world, pick)).id, topic: 'tea' }),
    })
  },
  wait: ({ chat }, _, pick) => chat.clock.advance(pick([10, 61, 301])),
}
