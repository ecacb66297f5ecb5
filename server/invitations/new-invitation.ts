import type { Actor } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'
import { expiryOf, type Invitation, type InvitationOptions } from './invitation.ts'
import type { NewInvitation } from './queries.ts'

/** The rules about who can use an invitation. */
type AdmissionRules = Pick<Invitation, 'email' | 'maxUses' | 'allowedDomains'>

/** Returns a new invitation with its own key, ready to be saved. Duplicate ids are removed. */
export function newInvitation(
  tx: Transaction,
  actor: Actor,
  options: InvitationOptions,
  rules: AdmissionRules,
): NewInvitation {
  return {
    ...options,
    ...rules,
    channelIds: [...new Set(options.channelIds.map(Number))],
    groupIds: [...new Set(options.groupIds)],
    realmId: actor.realmId,
    inviterId: actor.id,
    expiresAt: expiryOf(tx.now, options.lifetimeMinutes),
    keySeed: tx.random.bytes(20).toString('hex'),
  }
}
