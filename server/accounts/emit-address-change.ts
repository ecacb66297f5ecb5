import { maySeeAddress } from '#people/users/access.ts'
import { userChanged } from '#people/users/events.ts'
import { apiEmail, isBot, type User } from '#people/users/user.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { emitAvatarChange, emitBotReplaced, emitTo } from './emit-user-events.ts'
import { accountIds, findUserAudience } from './user-audience.ts'

/**
 * Emits the addresses of an account to the users who may see them. Call this after the real address or its visibility
 * has changed.
 */
export async function emitAddressChange(tx: Transaction, realm: Realm, before: User, after: User): Promise<void> {
  const { viewers } = await findUserAudience(tx, realm, after)
  const hasNewEmail = before.deliveryEmail !== after.deliveryEmail

  const gained = viewers.filter(
    (person) => maySeeAddress(person, after) && (hasNewEmail || !maySeeAddress(person, before)),
  )
  emitTo(tx, realm, userChanged(after.id, { delivery_email: after.deliveryEmail }), accountIds(gained))
  const lost = viewers.filter((person) => maySeeAddress(person, before) && !maySeeAddress(person, after))
  emitTo(tx, realm, userChanged(after.id, { delivery_email: null }), accountIds(lost))

  const { EXTERNAL_URL } = tx.db.settings
  const email = apiEmail(after, realm, EXTERNAL_URL)
  const hasNewApiEmail = email !== apiEmail(before, realm, EXTERNAL_URL)
  if (hasNewApiEmail) emitTo(tx, realm, userChanged(after.id, { new_email: email }), accountIds(viewers))
  if (hasNewApiEmail && isBot(after)) await emitBotReplaced(tx, realm, after)
  // Gravatars depend on the address. Clients compute them from the address that everyone sees.
  if ((hasNewEmail || hasNewApiEmail) && after.avatarFile === null) await emitAvatarChange(tx, realm, after)
}
