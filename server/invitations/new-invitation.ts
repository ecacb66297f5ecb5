import type { Transaction } from '../storage/storage.ts'
import type { Actor } from '../users/user.ts'
import { expiryOf, type Invitation, type Offer } from './invitation.ts'
import type { NewInvitation } from './queries.ts'

/** Who may make use of an invitation. */
export type Admission = Pick<Invitation, 'email' | 'maxUses' | 'allowedDomains'>

/** An invitation that will have a key of its own, to be saved. */
export function newInvitation(tx: Transaction, actor: Actor, offer: Offer, admission: Admission): NewInvitation {
  return {
    ...offer,
    ...admission,
    channelIds: offer.channelIds.map(Number),
    realmId: actor.realmId,
    inviterId: actor.id,
    expiresAt: expiryOf(tx.now, offer.lifetimeMinutes),
    keySeed: tx.random.bytes(20).toString('hex'),
  }
}
