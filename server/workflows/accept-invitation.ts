import { createUser } from '#accounts/change-users.ts'
import { type Invitation, isByEmail } from '#invitations/invitation.ts'
import { findGrants, findInviter, mayStillInvite } from '#invitations/invitation-status.ts'
import { emitInvitationsChanged } from '#invitations/manage-invitations.ts'
import { saveInvitationUse } from '#invitations/queries.ts'
import { refusal } from '#lib/errors.ts'
import { cancelMails } from '#mail/outbox.ts'
import { addRecentHistory } from '#messages/flags.ts'
import { silentMention } from '#messages/notice-markdown.ts'
import { prepareNotice } from '#messages/prepare-message.ts'
import { sendMessages } from '#messages/send-message.ts'
import { hasLicenses, noLicensesLeft } from '#people/creation-limits.ts'
import { domainOf } from '#people/email-addresses.ts'
import { lockEmailAddresses } from '#people/user-queries.ts'
import type { UserSettings } from '#people/user-settings.ts'
import type { User } from '#people/users.ts'
import { findRealm } from '#realms/queries.ts'
import { Role } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'

// Creating an account with an invitation, in one transaction: the use of the invitation, the account, channels,
// groups, recent messages, and welcome messages. The state of the invitation is checked again inside it, so a link
// for one use creates one account.

export type NewAccount = {
  fullName: string
  /** The address that was entered. It is ignored for email invitations. */
  email: string
  /** Omitted for accounts that begin without a password. */
  passwordHash?: string
  /** Empty if it is unknown. */
  timezone: string
  /** Personal settings that replace the organization's defaults. */
  settings?: Partial<UserSettings>
}

/** The same refusal for every reason; `findInvitationStatus` returns the reason. */
export const invitationNotValid = refusal('BAD_REQUEST', 404, 'This invitation is not valid.')
export const domainNotAllowed = refusal('BAD_REQUEST', 400, 'This link only accepts addresses at {domains}.')

/** Sends a direct message to the new user and, if `inviter` is not null, another one to the inviter. */
export async function sendWelcomeMessages(tx: Transaction, newUser: User, inviter: User | null): Promise<void> {
  const notices = [
    await prepareNotice(tx.db, { recipientIds: [newUser.id], content: welcome(newUser), bot: 'welcome-bot' }),
  ]
  if (inviter !== null) {
    const content = `${silentMention(newUser)} accepted your invitation to join Parley!`
    notices.push(await prepareNotice(tx.db, { recipientIds: [inviter.id], content }))
  }
  await sendMessages(
    tx,
    notices.map((notice) => ({ ...notice, skipsMissedMail: true })),
  )
}

const welcome = (newUser: User) => `Welcome, ${silentMention(newUser)}!

* Messages are organized in **channels** and, within them, in **topics**, so that you can read what matters to you, one subject at a time.
* To send a message, choose a channel and a topic; to start a conversation, enter a new topic.
* A message to one person or a few, like this one, is a **direct message**: other users can't see it.`

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
