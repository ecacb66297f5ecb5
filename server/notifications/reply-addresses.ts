import { createHmac, type KeyObject } from 'node:crypto'
import type { Settings } from '#config.ts'
import { hashSecret, type Random, toBase32 } from '#lib/secrets.ts'
import { defineQuery } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// The addresses to which users reply when they answer an email about missed messages. The token of an address stands
// for one user and for the conversation of one message, wherever that message is moved. The database has only its
// hash: the token follows from a random number that the outbox keeps, and from the server's secret.

/** The user whose message a reply becomes, and the message to whose conversation it belongs. */
type ReplyAddress = { userId: number; messageId: number }

/** Seconds for which an address accepts replies. */
export const REPLY_LIFETIME = 5 * 86_400

/** The maximum number of replies to one address. Whoever else learns the address can send no more than these. */
const MAX_REPLIES = 20

/** The length of a token: 130 random bits in base32, which mail servers may write in upper case. */
const TOKEN_LENGTH = 26

/** Returns the token of an address. Without the server's secret, the nonce does not lead to it. */
export function mailInToken(secret: KeyObject, purpose: 'channel' | 'reply', nonce: string): string {
  const digest = createHmac('sha256', secret)
    .update(JSON.stringify(['mail in', purpose, nonce]))
    .digest()
  return toBase32(digest).slice(0, TOKEN_LENGTH)
}

/** Returns true for texts that have the form of a token. */
export const isMailInToken = (text: string): boolean => text.length === TOKEN_LENGTH && /^[a-z2-7]+$/.test(text)

export const newNonce = (random: Random): string => toBase32(random.bytes(20))

/** Returns the address for replies that has this nonce. */
export const replyAddressOf = (secret: KeyObject, settings: Settings, nonce: string): string =>
  `reply.${mailInToken(secret, 'reply', nonce)}@${settings.MAIL_IN_DOMAIN}`

/** Saves an address for replies. Returns the nonce from which `replyAddressOf` makes it. */
export async function saveReplyAddress(tx: Transaction, secret: KeyObject, address: ReplyAddress): Promise<string> {
  const nonce = newNonce(tx.random)
  const tokenHash = hashSecret(mailInToken(secret, 'reply', nonce))
  await tx.deleteFrom('replyAddresses').where('expiresAt', '<=', tx.now).execute()
  await tx
    .insertInto('replyAddresses')
    .values({ ...address, tokenHash, expiresAt: tx.now + REPLY_LIFETIME })
    .execute()
  return nonce
}

const addressesWith = defineQuery((db, tokenHash: string, now: number) =>
  db
    .selectFrom('replyAddresses')
    .select(['userId', 'messageId', 'uses'])
    .where('tokenHash', '=', tokenHash)
    .where('expiresAt', '>', now),
)

/** Returns what the token stands for; null if it is unknown or expired. */
export async function findReplyAddress(
  db: Db,
  token: string,
  now: number,
): Promise<(ReplyAddress & { isUsedUp: boolean }) | null> {
  const [row] = await addressesWith(db, hashSecret(token), now)
  return row === undefined ? null : { ...row, isUsedUp: row.uses >= MAX_REPLIES }
}

/** Counts a reply. Returns false if the address accepts no more. */
export async function countReply(tx: Transaction, token: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('replyAddresses')
    .set((row) => ({ uses: row('uses', '+', 1) }))
    .where('tokenHash', '=', hashSecret(token))
    .where('expiresAt', '>', tx.now)
    .where('uses', '<', MAX_REPLIES)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes all addresses for replies of the user. Whoever can read their earlier emails can no longer reply as them. */
export async function deleteReplyAddresses(tx: Transaction, userId: number): Promise<void> {
  await tx.deleteFrom('replyAddresses').where('userId', '=', userId).execute()
}
