import { findActiveUsers } from '../channels/audience-queries.ts'
import { findNonViewerIds } from '../groups/visible-users.ts'
import { type Actor, apiEmail, placeholderEmail } from '../people/users/user.ts'
import type { Transaction } from '../platform/storage/storage.ts'
import { type PresenceTimes, toWebsitePresenceJson } from './presence.ts'

/** Tells the hearers of somebody's presence; guests who may not know of the person hear no address of theirs. */
export async function emitPresence(
  tx: Transaction,
  user: Actor,
  times: PresenceTimes,
  now: number,
  hearers: readonly number[],
): Promise<void> {
  const hearing = new Set(hearers)
  const { all } = await findActiveUsers(tx.db, user.realmId)
  const people = all.filter((person) => hearing.has(person.id))
  const strangers = await findNonViewerIds(tx.db, user.realm, user, people, now)
  const { EXTERNAL_URL } = tx.db.settings
  tx.emit(
    user.realmId,
    presenceEvent(user, times, now, apiEmail(user, user.realm, EXTERNAL_URL)),
    hearing.difference(strangers),
  )
  tx.emit(user.realmId, presenceEvent(user, times, now, placeholderEmail(user.id, user.realm, EXTERNAL_URL)), strangers)
}

/** In the older format, whatever the client asked for. */
function presenceEvent(user: Actor, times: PresenceTimes, now: number, email: string) {
  return {
    type: 'presence',
    user_id: user.id,
    email,
    server_timestamp: now,
    presence: { website: { ...toWebsitePresenceJson(times, user.joinedAt), pushable: false } },
  } as const
}
