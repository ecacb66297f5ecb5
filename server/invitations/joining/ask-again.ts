import type { KeyObject } from 'node:crypto'
import { prepareNotice } from '../../messages/sending/notices.ts'
import { saveMessages } from '../../messages/sending/send-message.ts'
import type { Realm } from '../../organizations/realms/realm.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import { type Invitation, isByEmail } from '../invitation.ts'
import { saveAsking } from '../queries.ts'
import { findDoor } from './door.ts'

/** In seconds. */
const PAUSE = 86_400

/**
 * Tells the inviter, at most once a day, that somebody who came too late would still like to join. Nothing, and nobody
 * learns so, where the key opens no invitation that has expired.
 */
export async function askAgain(tx: Transaction, realm: Realm, key: string, secret: KeyObject): Promise<void> {
  const door = await findDoor(tx.db, realm, key, secret, tx.now)
  if (door?.state !== 'expired') return
  const { invitation, inviter } = door
  if (!(await saveAsking(tx, invitation.id, tx.now - PAUSE))) return
  const content = wish(invitation)
  await saveMessages(tx, [await prepareNotice(tx.db, { recipientIds: [inviter.id], content })])
}

const wish = (invitation: Invitation) =>
  isByEmail(invitation)
    ? `${invitation.email} would like to join, but your invitation has expired. Send it again, and the same link works.`
    : 'Somebody would like to join by a link of yours that has expired. Extend it, and the same link works.'
