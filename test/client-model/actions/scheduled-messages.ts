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
  remind: async (world, who, pick) => {
    const at = Math.floor(world.chat.clock.now()) + pick([60, 600])
    const { reminders } = await who.call('GET /reminders')
    if (!reminders?.length || pick.flip()) {
      const { messages } = await who.call('GET /messages', { anchor: 'newest', num_before: 5, num_after: 0 })
      const { id } = messages?.length ? pick<{ id: number }>(messages) : { id: 1 }
      return who.call('POST /reminders', { message_id: id, scheduled_delivery_timestamp: at, note: pick(['', 'soon']) })
    }
    const { reminder_id: id } = pick<{ reminder_id: number }>(reminders)
    if (pick.flip()) return who.call(`DELETE /reminders/${id}`)
    return who.call(`PATCH /reminders/${id}`, {
      note: 'later',
      ...(pick.flip() && { scheduled_delivery_timestamp: at }),
    })
  },
  wait: ({ chat }, _, pick) => chat.clock.advance(pick([10, 61, 301])),
}
