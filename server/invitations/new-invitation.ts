import type { KeyObject } from 'node:crypto'
import { hashSecret } from '../base/secrets.ts'
import type { Transaction } from '../storage/storage.ts'
import type { Actor } from '../users/user.ts'
import { expiryOf, type Invitation, type Offer } from './invitation.ts'
import { invitationKey } from './key.ts'
import type { NewInvitation } from './queries.ts'

/** Who may make use of an invitation. */
export type Admission = Pick<Invitation, 'email' | 'maxUses' | 'allowedDomains'>

/** An invitation with a key of its own, to be saved. */
export function newInvitation(
  tx: Transaction,
  actor: Actor,
  offer: Offer,
  admission: Admission,
  secret: KeyObject,
): NewInvitation {
  const keySeed = tx.random.bytes(20).toString('hex')
  return {
    ...offer,
    ...admission,
    realmId: actor.realmId,
    inviterId: actor.id,
    expiresAt: expiryOf(tx.now, offer.lifetimeMinutes),
    keySeed,
    keyHash: hashSecret(invitationKey(secret, keySeed)),
  }
}
