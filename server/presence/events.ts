import { findActiveUsers } from '#channels/audience-queries.ts'
import { findNonViewerIds } from '#groups/visible-users.ts'
import { type Actor, apiEmail, placeholderEmail } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'
import { type PresenceTimes, toWebsitePresenceJson } from './presence.ts'

/** Emits a user's presence to the audience. Guests who may not see the user get no email address. */
export async function emitPresence(
  tx: Transaction,
  user: Actor,
  times: PresenceTimes,
  now: number,
  audience: readonly number[],
): Promise<void> {
  const recipients = new Set(audience)
  const { all } = await findActiveUsers(tx.db, user.realmId)
  const people = all.filter((person) => recipients.has(person.id))
  const nonViewerIds = await findNonViewerIds(tx.db, user.realm, user, people, now)
  const { EXTERNAL_URL } = tx.db.settings
  tx.emit(
    user.realmId,
    presenceEvent(user, times, now, apiEmail(user, user.realm, EXTERNAL_URL)),
    recipients.difference(nonViewerIds),
  )
  tx.emit(
    user.realmId,
    presenceEvent(user, times, now, placeholderEmail(user.id, user.realm, EXTERNAL_URL)),
    nonViewerIds,
  )
}

/** Returns the event, which always has the older format. */
function presenceEvent(user: Actor, times: PresenceTimes, now: number, email: string) {
  return {
    type: 'presence',
    user_id: user.id,
    email,
    server_timestamp: now,
    presence: { website: { ...toWebsitePresenceJson(times, user.joinedAt), pushable: false } },
  } as const
}
