import type { Action, Pick, World } from '../world.ts'

/** Returns the id of any bot. */
async function someBot({ chat }: World, pick: Pick): Promise<number> {
  const { db } = chat.app.services
  const bots = await db
    .selectFrom('users')
    .select('id')
    .where('realmId', '=', chat.realm.id)
    .where('botType', 'is not', null)
    .orderBy('id')
    .execute()
  return pick(bots).id
}

export const botActions: Record<string, Action> = {
  create: (_, who, pick) => {
    const bot_type = pick([1, 2, 3])
    return who.call('POST /bots', {
      full_name: `Bot ${pick([1, 2, 3])}`,
      short_name: `b${pick([1, 2, 3])}`,
      bot_type,
      ...(bot_type === 3 && { payload_url: '"https://example.com/hook"', interface_type: pick([1, 2]) }),
    })
  },
  change: async (world, who, pick) =>
    who.call(`PATCH /bots/${await someBot(world, pick)}`, {
      ...(pick.flip() && { bot_owner_id: pick(world.people).id }),
      ...(pick.flip() && { full_name: `Machine ${pick([1, 2])}` }),
      ...(pick.flip() && { role: pick([200, 400, 600]) }),
      ...(pick.flip() && { service_payload_url: 'https://example.org/hook', service_interface: pick([1, 2]) }),
    }),
  deactivate: async (world, who, pick) => who.call(`DELETE /bots/${await someBot(world, pick)}`),
}
