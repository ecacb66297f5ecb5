import type { Realm } from '../../organizations/realms/realm.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import { userChanged } from '../users/events.ts'
import { apiEmail, isBot, maySeeAddress, type User } from '../users/user.ts'
import { findOnlookers, idsOf } from './audience.ts'
import { tell, tellKeepersAnew, tellOfAvatar } from './tell-of-user.ts'

/** Tells what others see of an account's addresses after a change of the real one, or of who may see it. */
export async function tellOfAddress(tx: Transaction, realm: Realm, before: User, after: User): Promise<void> {
  const { viewers } = await findOnlookers(tx, realm, after)
  const isNew = before.deliveryEmail !== after.deliveryEmail

  const knowing = viewers.filter((person) => maySeeAddress(person, after) && (isNew || !maySeeAddress(person, before)))
  tell(tx, realm, userChanged(after.id, { delivery_email: after.deliveryEmail }), idsOf(knowing))
  const forgetting = viewers.filter((person) => maySeeAddress(person, before) && !maySeeAddress(person, after))
  tell(tx, realm, userChanged(after.id, { delivery_email: null }), idsOf(forgetting))

  const { EXTERNAL_URL } = tx.db.settings
  const email = apiEmail(after, realm, EXTERNAL_URL)
  const isNamedAnew = email !== apiEmail(before, realm, EXTERNAL_URL)
  if (isNamedAnew) tell(tx, realm, userChanged(after.id, { new_email: email }), idsOf(viewers))
  if (isNamedAnew && isBot(after)) await tellKeepersAnew(tx, realm, after)
  // A gravatar is found by the address, and clients that compute it know it by that which everyone sees.
  if ((isNew || isNamedAnew) && after.avatarFile === null) await tellOfAvatar(tx, realm, after)
}
