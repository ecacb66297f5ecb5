import type { Deed, Pick, World } from '../world.ts'

async function fieldId({ people }: World, pick: Pick): Promise<number> {
  const fields = (await people[0]?.call('GET /realm/profile_fields'))?.['custom_fields'] ?? []
  return fields.length === 0 ? 0 : pick<{ id: number }>(fields).id
}

/** What people say of themselves. */
export const profileDeeds: Record<string, Deed> = {
  ask: (_, who, pick) =>
    who.call('POST /realm/profile_fields', { name: pick(['Likes', 'Team']), field_type: pick([1, 2]), hint: '' }),
  rename: async (world, who, pick) =>
    who.call(`PATCH /realm/profile_fields/${await fieldId(world, pick)}`, { name: pick(['Drinks', 'Crew']) }),
  order: async ({ people }, who) => {
    const fields: { id: number }[] = (await people[0]?.call('GET /realm/profile_fields'))?.['custom_fields'] ?? []
    return who.call('PATCH /realm/profile_fields', { order: fields.map(({ id }) => id).reverse() })
  },
  answerFor: async (world, who, pick) =>
    who.call(`PATCH /users/${pick(world.people).id}`, {
      profile_data: [{ id: await fieldId(world, pick), value: pick(['wine', '']) }],
    }),
  endField: async (world, who, pick) => who.call(`DELETE /realm/profile_fields/${await fieldId(world, pick)}`),
  answer: async (world, who, pick) =>
    who.call('PATCH /users/me/profile_data', {
      data: [{ id: await fieldId(world, pick), value: pick(['tea', '*tea*', '']) }],
    }),
}
