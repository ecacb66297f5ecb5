import { z } from 'zod'
import { findRealmStatuses } from '#people/statuses/queries.ts'
import { statusJson, toStatusJson } from '#people/statuses/status.ts'
import { findVisibleIds } from './people.ts'
import { stateSlice } from './slice.ts'

export const statusSlice = stateSlice({
  types: ['user_status'],
  returns: {
    user_status: z.record(z.string(), statusJson).describe('By user id; users without a status are left out.'),
  },
  async fetch(scope) {
    const { db, actor, form } = scope
    const visibleIds = await findVisibleIds(scope)
    const statuses = [...(await findRealmStatuses(db, actor.realmId))]
    const visible = statuses.filter(([id]) => visibleIds === null || visibleIds.has(id))
    return {
      user_status: Object.fromEntries(visible.map(([id, status]) => [id, toStatusJson(status, form.extraEmojiType)])),
    }
  },
})
