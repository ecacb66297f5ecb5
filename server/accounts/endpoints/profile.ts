import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { valueRefusals } from '#people/profiles/value.ts'
import { changeProfile, profileRefusals } from '../change-profile.ts'

const changeOwnProfile = endpoint({
  route: 'PATCH /users/me/profile_data',
  summary: 'Set your custom profile fields',
  who: 'human',
  params: {
    data: z
      .array(z.object({ id: z.int(), value: z.unknown() }))
      .describe(
        'Values by field id: a string or, for fields of type user, a list of user ids. Empty values are removed.',
      ),
  },
  refuses: [...profileRefusals, ...valueRefusals],
  async handle({ transaction, actor }, { data }) {
    await transaction((tx) => changeProfile(tx, actor, actor, data))
    return {}
  },
})

const clearOwnProfile = endpoint({
  route: 'DELETE /users/me/profile_data',
  summary: 'Clear your custom profile fields',
  who: 'human',
  params: { data: z.array(z.int()).describe('The ids of the fields.') },
  refuses: profileRefusals,
  async handle({ transaction, actor }, { data }) {
    const removals = data.map((id) => ({ id }))
    await transaction((tx) => changeProfile(tx, actor, actor, removals))
    return {}
  },
})

export const profileEndpoints = [changeOwnProfile, clearOwnProfile]
