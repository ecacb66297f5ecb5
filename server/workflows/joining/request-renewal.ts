import type { KeyObject } from 'node:crypto'
import { type Invitation, isByEmail } from '#invitations/invitation.ts'
import { saveRenewalRequest } from '#invitations/queries.ts'
import { prepareNotice } from '#messages/sending/prepare-notices.ts'
import { saveMessages } from '#messages/sending/send-message.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { findInvitationStatus } from './invitation-status.ts'

/** The minimum number of seconds between two notices about one invitation. */
const MIN_REQUEST_INTERVAL = 86_400

/**
 * Notifies the inviter, at most once a day, that a person would like to join with an expired invitation. For all other
 * keys it does nothing, and the caller cannot tell the difference.
 */
export async function requestRenewal(tx: Transaction, realm: Realm, key: string, secret: KeyObject): Promise<void> {
  const status = await findInvitationStatus(tx.db, realm, key, secret, tx.now)
  if (status?.state !== 'expired') return
  const { invitation, inviter } = status
  if (!(await saveRenewalRequest(tx, invitation.id, tx.now - MIN_REQUEST_INTERVAL))) return
  const content = renewalRequestText(invitation)
  await saveMessages(tx, [await prepareNotice(tx.db, { recipientIds: [inviter.id], content })])
}

const renewalRequestText = (invitation: Invitation) =>
  isByEmail(invitation)
    ? `${invitation.email} would like to join, but your invitation has expired. Resend it to make its link work again.`
    : 'Someone would like to join with one of your links, but it has expired. Extend it to make it work again.'
