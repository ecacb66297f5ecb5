import type { Db, Transaction } from '../storage/storage.ts'
import { findRealm } from '../realms/queries.ts'
import { findActiveUserIds } from './queries.ts'
import { toUserJson } from './user-json.ts'
import { apiEmail, avatarUrl, type User } from './user.ts'

/** Tells everybody of a new account, or of one that is back. */
export async function tellOfNewUser(tx: Transaction, user: User): Promise<void> {
  const realm = await requireRealm(tx.db, user.realmId)
  // Nobody's own view: the real address is told to those alone who fetch it.
  const person = { ...toUserJson(STRANGER, user, realm, tx.db.settings.EXTERNAL_URL, { computesGravatar: false }) }
  await tellEverybody(tx, user.realmId, { type: 'realm_user', op: 'add', person: { ...person, is_active: true } })
}

/** Sees what everyone may see. */
const STRANGER = { id: 0, role: 600 } as User

/** What an account's page shows, as `realm_user/update` events name it. */
type PersonChange =
  | { full_name: string }
  | { role: number }
  | { is_active: boolean }
  | { timezone: string }
  | { bot_owner_id: number | null }
  | { new_email: string }

/** Tells everybody what changed about an account. */
export async function tellOfUserChange(tx: Transaction, user: User, change: PersonChange): Promise<void> {
  await tellEverybody(tx, user.realmId, { type: 'realm_user', op: 'update', person: { user_id: user.id, ...change } })
}

/** Tells everybody of the new picture of an account. */
export async function tellOfAvatar(tx: Transaction, user: User): Promise<void> {
  const realm = await requireRealm(tx.db, user.realmId)
  const person = {
    user_id: user.id,
    email: apiEmail(user, realm, tx.db.settings.EXTERNAL_URL),
    avatar_source: user.avatarFile === null ? 'G' : 'U',
    avatar_url: avatarUrl(user, false),
    avatar_url_medium: avatarUrl(user, false),
    avatar_version: user.avatarVersion,
  }
  await tellEverybody(tx, user.realmId, { type: 'realm_user', op: 'update', person })
}

/** Tells the account itself of a changed personal setting. */
export function tellOfSetting(tx: Transaction, user: User, property: string, value: unknown): void {
  tx.emit(user.realmId, { type: 'user_settings', op: 'update', property, value }, [user.id])
}

async function tellEverybody(tx: Transaction, realmId: number, event: { type: string; op: string; person: object }) {
  tx.emit(realmId, event, await findActiveUserIds(tx.db, realmId))
}

async function requireRealm(db: Db, realmId: number) {
  const realm = await findRealm(db, realmId)
  if (realm === null) throw new Error(`The organization ${realmId} is missing`)
  return realm
}
