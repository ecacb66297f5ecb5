import type { Action, Pick, World } from '../world.ts'

type Field = { id: number; type: number }

async function someField({ people }: World, pick: Pick): Promise<Field> {
  const fields = (await people[0]?.call('GET /realm/profile_fields'))?.['custom_fields']
  return fields?.length ? pick<Field>(fields) : { id: 0, type: 1 }
}

const CHOICES = { tea: { text: 'Tea', order: '1' }, milk: { text: 'Milk', order: '2' } }

function fieldData(type: number, pick: Pick): unknown {
  if (type === 3) return pick<unknown>([CHOICES, { tea: { text: 'Green tea', order: '1' } }])
  return type === 7 ? { subtype: pick(['github', 'twitter']) } : undefined
}

function answerTo({ id, type }: Field, { people }: World, pick: Pick): { id: number; value: unknown } {
  const answers: Record<number, unknown[]> = {
    3: ['tea', 'milk', ''],
    4: ['2029-02-03', ''],
    5: ['https://example.com/me', ''],
    6: [[pick(people).id], []],
  }
  return { id, value: pick(answers[type] ?? ['tea', '*tea*', '']) }
}

export const profileActions: Record<string, Action> = {
  ask: (_, who, pick) => {
    const field_type = pick([1, 2, 3, 4, 5, 6, 7, 8])
    return who.call('POST /realm/profile_fields', {
      name: pick(['Likes', 'Team', 'Since']),
      field_type,
      field_data: fieldData(field_type, pick),
      hint: pick(['', 'if any']),
    })
  },
  changeField: async (world, who, pick) => {
    const { id, type } = await someField(world, pick)
    return who.call(`PATCH /realm/profile_fields/${id}`, {
      ...(pick.flip() && { name: pick(['Likes', 'Dislikes']) }),
      ...(pick.flip() && { field_data: fieldData(type, pick) }),
      ...(pick.flip() && { display_in_profile_summary: pick.flip(), required: pick.flip() }),
      ...(pick.flip() && { editable_by_user: pick.flip() }),
    })
  },
  orderFields: async (_, who, pick) => {
    const { custom_fields: fields = [] } = await who.call('GET /realm/profile_fields')
    const ids = fields.map(({ id }: Field) => id)
    return who.call('PATCH /realm/profile_fields', { order: pick([ids, ids.toReversed()]) })
  },
  endField: async (world, who, pick) => who.call(`DELETE /realm/profile_fields/${(await someField(world, pick)).id}`),
  answer: async (world, who, pick) =>
    who.call('PATCH /users/me/profile_data', { data: [answerTo(await someField(world, pick), world, pick)] }),
  answerFor: async (world, who, pick) =>
    who.call(`PATCH /users/${pick(world.people).id}`, {
      profile_data: [answerTo(await someField(world, pick), world, pick)],
    }),
  takeBack: async (world, who, pick) =>
    who.call('DELETE /users/me/profile_data', { data: [(await someField(world, pick)).id] }),
}
