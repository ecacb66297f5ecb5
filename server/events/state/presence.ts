import { z } from 'zod'
import { type SharedMembers, toText } from '#lib/encoding/shared-json.ts'
import { placeholderEmail } from '#people/users/user.ts'
import { findAddressVisibleIds, findPresenceVisibleIds } from '#presence/access.ts'
import { collectPresences } from '#presence/collect-presences.ts'
import { stateSlice } from './slice.ts'

const NO_PRESENCE = -1

export const presenceSlice = stateSlice({
  types: ['presence'],
  returns: {
    presences: z.record(z.string(), z.unknown()).describe('In the format of `POST /users/me/presence`.'),
    presence_last_update_id: z.int().describe('For the `last_update_id` of the next report; -1 when there is none.'),
    server_timestamp: z.number().describe('UNIX seconds, with a fraction.'),
  },
  async fetch({ db, actor, board, form, now }) {
    if (actor.realm.settings.presence_disabled)
      return { presences: {}, presence_last_update_id: NO_PRESENCE, server_timestamp: now }
    const format = form.hasSlimPresence ? 'modern' : 'legacy'
    const collected = collectPresences(
      board,
      {
        format,
        lastUpdateId: null,
        historyLimitDays: form.presenceHistoryDays,
        viewerId: actor.id,
        visibleIds: await findPresenceVisibleIds(db, actor, now),
        addressVisibleIds: await findAddressVisibleIds(db, actor, format, now),
        now,
      },
      (person) => person.publicEmail ?? placeholderEmail(person.id, actor.realm, db.settings.EXTERNAL_URL),
    )
    return {
      presences: readMembers(collected.members),
      presence_last_update_id: collected.lastUpdateId ?? NO_PRESENCE,
      server_timestamp: now,
    }
  },
})

function readMembers(members: readonly SharedMembers[]): Record<string, unknown> {
  return JSON.parse(toText({ before: '{', members, after: '}' })) as Record<string, unknown>
}
