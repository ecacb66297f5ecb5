import { cancelMails } from '../../delivery/mail/outbox.ts'
import { addRecentHistory } from '../../messages/flags/add-recent-history.ts'
import { findRealm } from '../../organizations/realms/queries.ts'
import { createUser } from '../../people/accounts/create-user.ts'
import { domainOf } from '../../people/users/addresses/email-address.ts'
import { lockEmailAddresses } from '../../people/users/queries.ts'
import { Role } from '../../people/users/role.ts'
import type { User } from '../../people/users/user.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import { mayStillInvite } from '../access.ts'
import { emitInvitationsChanged } from '../events.ts'
import { type Invitation, isByEmail } from '../invitation.ts'
import { hasLicenses } from '../limits.ts'
import { saveInvitationUse } from '../queries.ts'
import { findGrants } from './grants.ts'
import { findInviter } from './invitation-status.ts'
import { sendWelcomeMessages } from './send-welcome-messages.ts'

/** `findDoor` says why. */
export const invitationNotValid = refusal('BAD_REQUEST', 404, 'This invitation is not valid.')
export const domainNotAllowed = refusal('BAD_REQUEST', 400, 'This link is for addresses at {domains} alone.')
export const noLicensesLeft = refusal('BAD_REQUEST', 400, 'This organization has as many people as it may have.')

export type NewAccount = {
  fullName: string
  /** Counts where the invitation is to no address of its own. */
  email: string
  passwordHash: string
  /** '' for one that nobody knows. */
  timezone: string
}

/**
 * Makes the account that an invitation is for, in the channels and groups that are still its inviter's to give. That the
 * newcomer has its key has been checked. All is done, or nothing; of those who accept an invitation at once as many
 * succeed as it has uses left. What it promised is checked anew: it is dead once its inviter may no longer invite to that
 * role.
 */
export async function acceptInvitation(
  tx: Transaction,
  realmId: number,
  invitationId: number,
  newcomer: NewAccount,
): Promise<User> {
  // Before the invitation: whoever has this lock ends all others of the address, and waits for who has one of them.
  await lockEmailAddresses(tx, realmId)
  const invitation = await saveInvitationUse(tx, invitationId)
  // Not what was known of it before the password was hashed.
  const realm = await findRealm(tx.db, realmId)
  if (invitation === null || realm === null) throw invitationNotValid()
  const inviter = await findInviter(tx.db, realm, invitation)
  if (!(await mayStillInvite(tx.db, inviter, invitation, tx.now))) throw invitationNotValid()
  const { role } = invitation
  const { email, ...person } = newcomer
  const deliveryEmail = requireAllowedAddress(invitation, email)
  if (role !== Role.guest && !(await hasLicenses(tx.db, realm, 1))) throw noLicensesLeft()

  const { channels, groups } = await findGrants(tx.db, inviter, invitation, tx.now)
  const arrival = { channels, groupIds: groups.map(({ id }) => id) }
  const user = await createUser(tx, realm, { ...person, deliveryEmail, role }, arrival)
  await addRecentHistory(tx, user.id, channels)
  if (isByEmail(invitation)) await cancelMails(tx, { invitationIds: [invitation.id] })
  await emitInvitationsChanged(tx, realm.id, [inviter.id])
  await sendWelcomeMessages(tx, user, invitation.notifiesInviter ? inviter : null)
  return user
}

/** The address that the account is to have: that of the invitation, else the one that is given. */
export function requireAllowedAddress(invitation: Invitation, given: string): string {
  if (isByEmail(invitation)) return invitation.email
  const { allowedDomains } = invitation
  if (allowedDomains.length > 0 && !allowedDomains.includes(domainOf(given.trim())))
    throw domainNotAllowed({ domains: allowedDomains.join(', ') })
  return given
}
