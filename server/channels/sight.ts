import { isInSetting, membershipScope } from '../groups/membership.ts'
import { findVisibleUserIds } from '../groups/visible-users.ts'
import type { Realm } from '../realms/realm.ts'
import type { Transaction } from '../storage/storage.ts'
import { findUsersById } from '../users/queries.ts'
import { isGuest } from '../users/role.ts'
import { isBot, UNKNOWN_USER_NAME, type User } from '../users/user.ts'
import { toUserJson } from '../users/user-json.ts'
import { findSubscribersAmong } from './audience-queries.ts'
import type { Channel } from './channel.ts'

type Sight = { guest: User; visible: ReadonlySet<number> }

/**
 * Notes whom the limited guests among `users`, and in the channels, may know of. The function that it returns, called
 * when subscriptions have changed, tells them who came into sight and who went out of it.
 */
export async function watchSight(
  tx: Transaction,
  realm: Realm,
  users: readonly User[],
  channels: readonly Channel[],
): Promise<() => Promise<void>> {
  const guests = await findLimitedGuests(tx, realm, users, channels)
  const before = await sightsOf(tx, realm, guests)
  return async () => {
    const after = await sightsOf(tx, realm, guests)
    for (const [index, { guest, visible }] of after.entries()) {
      const known = before[index]?.visible ?? new Set()
      await tellOfNewFaces(tx, realm, guest, visible.difference(known))
      await tellOfLostFaces(tx, realm, guest, known.difference(visible))
    }
  }
}

async function findLimitedGuests(
  tx: Transaction,
  realm: Realm,
  users: readonly User[],
  channels: readonly Channel[],
): Promise<User[]> {
  const permission = realm.settings.can_access_all_users_group
  if (permission === 'role:everyone') return []
  const inGuests = channels.map((channel) => channel.id)
  const subscribers = await findSubscribersAmong(tx.db, { wholly: [], inGuests })
  const guests = users.filter(isGuest).map((user) => user.id)
  const scope = await membershipScope(tx.db, { realmId: realm.id, realm }, tx.now)
  const candidates = await findUsersById(tx.db, [...guests, ...[...subscribers.values()].flatMap((ids) => [...ids])])
  return candidates.filter((guest) => !isInSetting(scope, guest, permission))
}

async function sightsOf(tx: Transaction, realm: Realm, guests: readonly User[]): Promise<Sight[]> {
  const sights: Sight[] = []
  for (const guest of guests) {
    const visible = await findVisibleUserIds(tx.db, { ...guest, realm }, tx.now)
    sights.push({ guest, visible: visible ?? new Set() })
  }
  return sights
}

async function tellOfNewFaces(tx: Transaction, realm: Realm, guest: User, ids: ReadonlySet<number>): Promise<void> {
  for (const user of await findUsersById(tx.db, ids)) {
    if (isBot(user)) continue
    const person = toUserJson(guest, user, realm, tx.db.settings.EXTERNAL_URL, { computesGravatar: false })
    tx.emit(realm.id, { type: 'realm_user', op: 'add', person }, [guest.id])
  }
}

async function tellOfLostFaces(tx: Transaction, realm: Realm, guest: User, ids: ReadonlySet<number>): Promise<void> {
  for (const user of await findUsersById(tx.db, ids)) {
    if (isBot(user)) continue
    const person = { user_id: user.id, full_name: UNKNOWN_USER_NAME }
    tx.emit(realm.id, { type: 'realm_user', op: 'remove', person }, [guest.id])
  }
}
