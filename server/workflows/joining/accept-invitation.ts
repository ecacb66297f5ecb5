import { createUser } from '#accounts/create-user.ts'
import { mayStillInvite } from '#invitations/access.ts'
import { emitInvitationsChanged } from '#invitations/events.ts'
import { type Invitation, isByEmail } from '#invitations/invitation.ts'
import { hasLicenses } from '#invitations/limits.ts'
import { saveInvitationUse } from '#invitations/queries.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { cancelMails } from '#mail/outbox.ts'
import { addRecentHistory } from '#messages/flags/add-recent-history.ts'
import { domainOf } from '#people/users/addresses/email-address.ts'
import { lockEmailAddresses } from '#people/users/queries.ts'
import type { UserSettings } from '#people/users/settings/settings.ts'
import type { User } from '#people/users/user.ts'
import { findRealm } from '#realms/queries.ts'
import { Role } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import { findGrants } from './grants.ts'
import { findInviter } from './invitation-status.ts'
import { sendWelcomeMessages } from './send-welcome-messages.ts'

/** The same refusal for every reason; `findInvitationStatus` returns the reason. */
export const invitationNotValid = refusal('BAD_REQUEST', 404, 'This invitation is not valid.')
export const domainNotAllowed = refusal('BAD_REQUEST', 400, 'This link only accepts addresses at {domains}.')
export const noLicensesLeft = refusal('BAD_REQUEST', 400, 'This organization has reached its maximum number of users.')

export type NewAccount = {
  fullName: string
  /** The address that was entered. It is ignored for email invitations. */
  email: string
  passwordHash: string
  /** Empty if it is unknown. */
  timezone: string
  /** Personal settings that replace the organization's defaults. */
  settings?: Partial<UserSettings>
}

/**
 * Creates an account with an invitation, and adds it to the channels and groups that the inviter may still grant. The
 * caller has checked the invitation's key. Either everything succeeds or nothing is written. The number of concurrent
 * callers that succeed never exceeds the remaining uses. All conditions are checked again: for example, the invitation
 * is not valid if its inviter may no longer invite to that role.
 */
export async function acceptInvitation(
  tx: Transaction,
  realmId: number,
  invitationId: number,
  account: NewAccount,
): Promise<User> {
  // The email addresses are locked before the invitation's row. Every transaction that ends the other invitations to an
  // address takes these locks in this order.
  await lockEmailAddresses(tx, realmId)
  const invitation = await saveInvitationUse(tx, invitationId)
  // The organization is read again, because it may have changed while the password was hashed.
  const realm = await findRealm(tx.db, realmId)
  if (invitation === null || realm === null) throw invitationNotValid()
  const inviter = await findInviter(tx.db, realm, invitation)
  if (!(await mayStillInvite(tx.db, inviter, invitation, tx.now))) throw invitationNotValid()
  const { role } = invitation
  const { email, ...person } = account
  const deliveryEmail = requireAllowedAddress(invitation, email)
  if (role !== Role.guest && !(await hasLicenses(tx.db, realm, 1))) throw noLicensesLeft()

  const { channels, groups } = await findGrants(tx.db, inviter, invitation, tx.now)
  const memberships = { channels, groupIds: groups.map(({ id }) => id), invitationsEndAs: 'superseded' } as const
  const user = await createUser(tx, realm, { ...person, deliveryEmail, role }, memberships)
  await addRecentHistory(tx, user.id, channels)
  if (isByEmail(invitation)) await cancelMails(tx, { invitationIds: [invitation.id] })
  await emitInvitationsChanged(tx, realm.id, [inviter.id])
  await sendWelcomeMessages(tx, user, invitation.notifiesInviter ? inviter : null)
  return user
}

/** Returns the address of the new account: the invitation's address or, for a link, the address that was entered. */
export function requireAllowedAddress(invitation: Invitation, enteredEmail: string): string {
  if (isByEmail(invitation)) return invitation.email
  const { allowedDomains } = invitation
  if (allowedDomains.length > 0 && !allowedDomains.includes(domainOf(enteredEmail.trim())))
    throw domainNotAllowed({ domains: allowedDomains.join(', ') })
  return enteredEmail
}
