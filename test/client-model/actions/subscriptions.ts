import { notificationNames } from '#channels/subscriptions.ts'
import { type Action, someChannel } from '../world.ts'

const TOPICS = ['tea', 'TEA', '', 'Lunch plans']

export const subscriptionActions: Record<string, Action> = {
  join: async (world, who, pick) =>
    who.call('POST /users/me/subscriptions', {
      subscriptions: [{ name: (await someChannel(world, pick)).name, ...(pick.flip() && { color: '#abcdef' }) }],
    }),
  bring: async (world, who, pick) =>
    who.call('POST /users/me/subscriptions', {
      subscriptions: [{ name: (await someChannel(world, pick)).name }, { name: (await someChannel(world, pick)).name }],
      principals: [pick(world.people).id, pick(world.people).id],
    }),
  leave: async (world, who, pick) =>
    who.call('DELETE /users/me/subscriptions', { subscriptions: [(await someChannel(world, pick)).name] }),
  joinAndLeave: async (world, who, pick) =>
    who.call('PATCH /users/me/subscriptions', {
      add: [{ name: (await someChannel(world, pick)).name }],
      delete: [(await someChannel(world, pick)).name],
    }),
  putOut: async (world, who, pick) =>
    who.call('DELETE /users/me/subscriptions', {
      subscriptions: [(await someChannel(world, pick)).name],
      principals: [pick(world.people).id, ...(pick.flip() ? [pick(world.people).id] : [])],
    }),
  property: async (world, who, pick) => {
    const flags = [...['is_muted', 'is_muted', 'in_home_view', 'pin_to_top'], ...notificationNames]
    const properties = flags.map((property) => [property, pick.flip()] as const)
    const [property, value] = pick([...properties, ['color', pick(['#123456', '#654321'])] as const])
    return who.call('POST /users/me/subscriptions/properties', {
      subscription_data: [{ stream_id: (await someChannel(world, pick)).id, property, value }],
    })
  },
  policy: async (world, who, pick) =>
    who.call('POST /user_topics', {
      stream_id: (await someChannel(world, pick)).id,
      topic: pick(TOPICS),
      visibility_policy: pick([0, 1, 2, 3]),
    }),
  muteTopic: async (world, who, pick) =>
    who.call('PATCH /users/me/subscriptions/muted_topics', {
      stream_id: (await someChannel(world, pick)).id,
      topic: pick(TOPICS),
      op: pick(['add', 'add', 'remove']),
    }),
}
