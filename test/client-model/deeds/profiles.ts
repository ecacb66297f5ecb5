import type { Deed, Pick, World } from '../world.ts'

async function fieldId({ people }: World, pick: Pick): Promise<number> {
  const fields = (await people[0]?.call('GET /realm/profile_fields'))?.['custom_fields'] ?? []
  return fields.length === 0 ? 0 : pick<{ id: number }>(fields).id
}

/** What people say of themselves. */
export const profileDeeds: Record<string, Deed> = {
  ask: (_, who, pick) =>
    who.call('POST /realm/profile_fields', { name: pick(['Likes', 'Team']), field_type: pick([1, 2]), hint: '' }),
  endField: async (world, who, pick) => who.call(`DELETE /realm/profile_fields/${await fieldId(world, pick)}`),
  answer: async (world, who, pick) =>
    who.call('PATCH /users/me/profile_data', {
      data: [{ id: await fieldId(world, pick), value: pick(['tea', '*tea*', '']) }],
    }),
}
