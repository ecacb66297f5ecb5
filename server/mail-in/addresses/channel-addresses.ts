import type { KeyObject } from 'node:crypto'
import { hashSecret } from '#lib/secrets.ts'
import { isMailInToken, mailInToken, newNonce } from '#notifications/reply-addresses.ts'
import { isBotManager } from '#people/access.ts'
import { isSystemBotAddress, withActingRole } from '#people/bots.ts'
import { findUser } from '#people/user-queries.ts'
import type { Actor, User } from '#people/users.ts'
import { findRealm } from '#realms/queries.ts'
import { defineQuery } from '#storage/sql.ts'
import type { Db, RunTransaction, Transaction } from '#storage/storage.ts'

/** The choices that an address carries. Everyone who has the address can change them. */
export type AddressOptions = {
  /** True if messages begin with the sender of the email. */
  showsSender: boolean
  keepsFooter: boolean
  keepsQuotes: boolean
  /** True if the HTML of an email is used although it has plain text, too. */
  prefersHtml: boolean
}

/** The options as addresses name them. The short names serve addresses that would be too long otherwise. */
const OPTION_NAMES: Readonly<Record<keyof AddressOptions, readonly [name: string, short: string]>> = {
  showsSender: ['show-sender', 'sender'],
  keepsFooter: ['include-footer', 'footer'],
  keepsQuotes: ['include-quotes', 'quotes'],
  prefersHtml: ['prefer-html', 'html'],
}

const optionKeys = Object.keys(OPTION_NAMES) as (keyof AddressOptions)[]

export const NO_OPTIONS: AddressOptions = {
  showsSender: false,
  keepsFooter: false,
  keepsQuotes: false,
  prefersHtml: false,
}

/** The maximum length of the part before the @, in characters (RFC 5321). */
const MAX_LOCAL_PART = 64

/** Returns the part before the @: the channel's name for people, the token, and the options. */
export function toLocalPart(channelName: string, token: string, options: AddressOptions): string {
  const chosen = optionKeys.filter((key) => options[key])
  const long = [token, ...chosen.map((key) => OPTION_NAMES[key][0])].join('.')
  const rest = long.length <= MAX_LOCAL_PART ? long : [token, ...chosen.map((key) => OPTION_NAMES[key][1])].join('.')
  const name = channelName
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .toLowerCase()
    .slice(0, MAX_LOCAL_PART - rest.length - 1)
    .replace(/^-|-$/g, '')
  return name === '' ? rest : `${name}.${rest}`
}

/** Returns the token and options of an address; null if it has the form of none. */
export function readLocalPart(local: string): { token: string; options: AddressOptions } | null {
  const parts = local.toLowerCase().split(/[.+]/)
  const options = { ...NO_OPTIONS }
  for (let last = parts.at(-1); last !== undefined; last = parts.at(-1)) {
    const key = optionKeys.find((one) => OPTION_NAMES[one].includes(last))
    if (key === undefined) return isMailInToken(last) ? { token: last, options } : null
    options[key] = true
    parts.pop()
  }
  return null
}

/** The channel of an address, the user who asked for it, and the user who appears as the sender. */
type AddressKey = { channelId: number; creatorId: number; senderId: number }

const noncesOf = defineQuery((db, channelId: number, creatorId: number, senderId: number) =>
  db
    .selectFrom('channelAddresses')
    .select(['nonce', 'tokenHash'])
    .where('channelId', '=', channelId)
    .where('creatorId', '=', creatorId)
    .where('senderId', '=', senderId),
)

/** Returns the token of the address. The first call creates it. */
export async function ensureToken(
  { db, transaction, secret }: { db: Db; transaction: RunTransaction; secret: KeyObject },
  key: AddressKey,
): Promise<string> {
  const [found] = await noncesOf(db, key.channelId, key.creatorId, key.senderId)
  const token = found && mailInToken(secret, 'channel', found.nonce)
  // With another server secret than the one before, the token is another, too.
  if (token !== undefined && hashSecret(token) === found?.tokenHash) return token
  return transaction(async (tx) => {
    const nonce = newNonce(tx.random)
    const made = mailInToken(secret, 'channel', nonce)
    const values = { nonce, tokenHash: hashSecret(made), createdAt: tx.now }
    await tx
      .insertInto('channelAddresses')
      .values({ ...key, ...values })
      .onConflict((on) => on.columns(['channelId', 'creatorId', 'senderId']).doUpdateSet(values))
      .execute()
    return made
  })
}

/** Deletes addresses of a channel: those that a user asked for with one sender, or all. */
export async function deleteAddresses(
  tx: Transaction,
  { channelId, ...of }: { channelId: number; creatorId?: number; senderId?: number },
): Promise<void> {
  await tx
    .deleteFrom('channelAddresses')
    .where('channelId', '=', channelId)
    .$if(of.creatorId !== undefined, (query) => query.where('creatorId', '=', of.creatorId as number))
    .$if(of.senderId !== undefined, (query) => query.where('senderId', '=', of.senderId as number))
    .execute()
}

/** An address that is in use: the channel, the user whose permissions count, and the sender of the messages. */
export type ChannelAddress = { channelId: number; actor: Actor; sender: User; isUsedUp: boolean }

const addressesWith = defineQuery((db, tokenHash: string) =>
  db
    .selectFrom('channelAddresses')
    .select(['channelId', 'creatorId', 'senderId', 'hourFrom', 'mailsInHour'])
    .where('tokenHash', '=', tokenHash),
)

/**
 * Returns what the token stands for. Returns null if it is unknown, if an account that it needs is deactivated, or if
 * its creator may no longer act as its sender.
 */
export async function findChannelAddress(db: Db, token: string, now: number): Promise<ChannelAddress | null> {
  const [row] = await addressesWith(db, hashSecret(token))
  if (row === undefined) return null
  const creator = await findActiveActor(db, row.creatorId)
  if (creator === null) return null
  const sender = row.senderId === row.creatorId ? creator : await findUser(db, row.senderId)
  if (sender === null || sender.deactivatedAt !== null) return null
  const address = { channelId: row.channelId, sender, isUsedUp: countInHour(row, now) >= MAX_MAILS_PER_HOUR }
  if (isSystemBotAddress(sender.deliveryEmail) || sender.id === creator.id) return { ...address, actor: creator }
  const actor = await findActiveActor(db, sender.id)
  return actor !== null && isBotManager(creator, actor) ? { ...address, actor } : null
}

/** The maximum number of emails to an address in an hour. */
export const MAX_MAILS_PER_HOUR = 200

const HOUR = 3600

/** Returns the number of emails in the hour that began with the first of them. */
const countInHour = ({ hourFrom, mailsInHour }: { hourFrom: number; mailsInHour: number }, now: number): number =>
  now >= hourFrom && now < hourFrom + HOUR ? mailsInHour : 0

/** Counts an email to the address. Returns false if the address accepts no more in this hour, or no longer exists. */
export async function countMail(tx: Transaction, token: string): Promise<boolean> {
  const tokenHash = hashSecret(token)
  const [row] = await addressesWith(tx.db, tokenHash)
  if (row === undefined) return false
  const count = countInHour(row, tx.now)
  if (count >= MAX_MAILS_PER_HOUR) return false
  const { numUpdatedRows } = await tx
    .updateTable('channelAddresses')
    .set({ hourFrom: count === 0 ? tx.now : row.hourFrom, mailsInHour: count + 1 })
    .where('tokenHash', '=', tokenHash)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function findActiveActor(db: Db, userId: number): Promise<Actor | null> {
  const user = await findUser(db, userId)
  if (user === null || user.deactivatedAt !== null) return null
  const realm = await findRealm(db, user.realmId)
  return realm === null || realm.deactivatedAt !== null ? null : { ...(await withActingRole(db, user)), realm }
}
