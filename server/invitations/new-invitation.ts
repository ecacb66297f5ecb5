import type { Actor } from '../people/users/user.ts'
import type { Transaction } from '../platform/storage/storage.ts'
import { expiryOf, type Invitation, type InvitationOptions } from './invitation.ts'
import type { NewInvitation } from './queries.ts'

/** Who may make use of an invitation. */
export type AdmissionRules = Pick<Invitation, 'email' | 'maxUses' | 'allowedDomains'>

/** An invitation that will have a key of its own, to be saved; what it gives is named once each. */
export function newInvitation(
  tx: Transaction,
  actor: Actor,
  offer: InvitationOptions,
  admission: AdmissionRules,
): NewInvitation {
  return {
    ...offer,
    ...admission,
    channelIds: [...new Set(offer.channelIds.map(Number))],
    groupIds: [...new Set(offer.groupIds)],
    realmId: actor.realmId,
    inviterId: actor.id,
    expiresAt: expiryOf(tx.now, offer.lifetimeMinutes),
    keySeed: tx.random.bytes(20).toString('hex'),
  }
}
