import type { KeyObject } from 'node:crypto'
import { prepareNotice } from '../../messages/sending/notices.ts'
import { saveMessages } from '../../messages/sending/send-message.ts'
import type { Realm } from '../../organizations/realms/realm.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import { type Invitation, isByEmail } from '../invitation.ts'
import { saveRenewalRequest } from '../queries.ts'
import { findInvitationStatus } from './invitation-status.ts'

/** In seconds. */
const MIN_REQUEST_INTERVAL = 86_400

/**
 * Tells the inviter, at most once a day, that somebody who came too late would still like to join. Nothing, and nobody
 * learns so, where the key opens no invitation that has expired.
 */
export async function requestRenewal(tx: Transaction, realm: Realm, key: string, secret: KeyObject): Promise<void> {
  const door = await findInvitationStatus(tx.db, realm, key, secret, tx.now)
  if (door?.state !== 'expired') return
  const { invitation, inviter } = door
  if (!(await saveRenewalRequest(tx, invitation.id, tx.now - MIN_REQUEST_INTERVAL))) return
  const content = renewalRequestText(invitation)
  await saveMessages(tx, [await prepareNotice(tx.db, { recipientIds: [inviter.id], content })])
}

const renewalRequestText = (invitation: Invitation) =>
  isByEmail(invitation)
    ? `${invitation.email} would like to join, but your invitation has expired. Send it again, and the same link works.`
    : 'Somebody would like to join by a link of yours that has expired. Extend it, and the same link works.'
