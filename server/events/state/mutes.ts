import { z } from 'zod'
import { toMutedUserJson } from '#people/mutes/mute-user.ts'
import { findMutedUsers } from '#people/mutes/queries.ts'
import { stateSlice } from './slice.ts'

export const mutedUserSlice = stateSlice({
  types: ['muted_users'],
  returns: { muted_users: z.array(z.strictObject({ id: z.int(), timestamp: z.int() })) },
  async fetch({ db, actor }) {
    return { muted_users: (await findMutedUsers(db, actor.id)).map(toMutedUserJson) }
  },
})
