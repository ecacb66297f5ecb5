import { createHmac, type KeyObject } from 'node:crypto'
import { equalSecrets } from '#lib/secrets.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// Addresses without an account to which an organization sends no more invitations. The link in an email proves its
// address, so that nobody can unsubscribe others.

/** An address, in lower case, to which an organization sends no more invitations. */
type Unsubscription = { realmId: number; recipientKey: string }

/** Returns the path of the organization's page where the recipient of an email can unsubscribe. */
export function unsubscribePath(secret: KeyObject, realmId: number, recipient: string): string {
  return `/accounts/unsubscribe/${unsubscribeKey(secret, { realmId, recipientKey: recipient.toLowerCase() })}`
}

function unsubscribeKey(secret: KeyObject, { realmId, recipientKey }: Unsubscription): string {
  const seal = createHmac('sha256', secret).update(JSON.stringify(['unsubscribe', realmId, recipientKey]))
  return `${Buffer.from(recipientKey).toString('base64url')}.${seal.digest('base64url')}`
}

/**
 * Returns the unsubscription that the key contains; null if this server did not create the key for the organization.
 */
export function readUnsubscribeKey(secret: KeyObject, realmId: number, key: string): Unsubscription | null {
  const [encoded = ''] = key.split('.')
  const unsubscriber = { realmId, recipientKey: Buffer.from(encoded, 'base64url').toString() }
  return equalSecrets(key, unsubscribeKey(secret, unsubscriber)) ? unsubscriber : null
}

export async function saveUnsubscription(tx: Transaction, unsubscriber: Unsubscription): Promise<void> {
  await tx
    .insertInto('mailRefusals')
    .values({ ...unsubscriber, refusedAt: tx.now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function hasUnsubscribed(db: Db, realmId: number, recipient: string): Promise<boolean> {
  const row = await db
    .selectFrom('mailRefusals')
    .select('refusedAt')
    .where('realmId', '=', realmId)
    .where('recipientKey', '=', recipient.toLowerCase())
    .executeTakeFirst()
  return row !== undefined
}
