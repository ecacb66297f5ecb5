import type { KeyObject } from 'node:crypto'
import { sql } from 'kysely'
import { equalSecrets, hashSecret } from '#lib/secrets.ts'
import type { Actor } from '#people/users.ts'
import type { Role } from '#rules/role.ts'
import { insertRowsWithIds } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import {
  expiryOf,
  type Invitation,
  type InvitationEndReason,
  type InvitationOptions,
  idInKey,
  invitationKey,
} from './invitation.ts'

// The rows of invitations and links. Statements that use, extend or end an invitation check in the same statement
// that it is still pending, so of two callers at a time only one succeeds.

const invitationColumns = [
  'id',
  'realmId',
  'inviterId',
  'email',
  'role',
  'createdAt',
  'sentAt',
  'lifetimeMinutes',
  'expiresAt',
  'keySeed',
  'formerKeyHash',
  'channelIds',
  'groupIds',
  'includesDefaultChannels',
  'notifiesInviter',
  'maxUses',
  'uses',
  'allowedDomains',
  'endedAt',
  'endedAs',
] as const

type InvitationRow = Omit<
  Invitation,
  'role' | 'channelIds' | 'groupIds' | 'includesDefaultChannels' | 'notifiesInviter' | 'allowedDomains' | 'endedAs'
> & {
  role: number
  channelIds: string
  groupIds: string
  includesDefaultChannels: number
  notifiesInviter: number
  allowedDomains: string
  endedAs: string | null
}

const toInvitation = (row: InvitationRow): Invitation => ({
  ...row,
  role: row.role as Role,
  channelIds: JSON.parse(row.channelIds) as number[],
  groupIds: JSON.parse(row.groupIds) as number[],
  includesDefaultChannels: row.includesDefaultChannels === 1,
  notifiesInviter: row.notifiesInviter === 1,
  allowedDomains: JSON.parse(row.allowedDomains) as string[],
  endedAs: row.endedAs as InvitationEndReason | null,
})

export async function findInvitation(db: Db, id: number): Promise<Invitation | null> {
  const row = await db.selectFrom('invitations').select(invitationColumns).where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : toInvitation(row)
}

/** Returns the invitation with this key, even if it has ended or expired; null if there is none. */
export async function findInvitationByKey(
  db: Db,
  realmId: number,
  key: string,
  secret: KeyObject,
): Promise<Invitation | null> {
  const id = idInKey(secret, key)
  if (id === null) return null
  const rows = await db
    .selectFrom('invitations')
    .select(invitationColumns)
    .where((is) => is.or([is('id', '=', id), is('formerKeyHash', '=', hashSecret(key))]))
    .where('realmId', '=', realmId)
    .execute()
  return rows.map(toInvitation).find((row) => equalSecrets(invitationKey(secret, row), key)) ?? null
}

/**
 * Returns the invitations and links that have neither ended nor expired, oldest first. If `inviterId` is not null, it
 * returns only those of this inviter.
 */
export async function findPendingInvitations(
  db: Db,
  realmId: number,
  now: number,
  inviterId: number | null,
): Promise<Invitation[]> {
  let query = db
    .selectFrom('invitations')
    .select(invitationColumns)
    .where('realmId', '=', realmId)
    .where('endedAt', 'is', null)
    .where((is) => is.or([is('expiresAt', 'is', null), is('expiresAt', '>=', now)]))
    .orderBy('id')
  if (inviterId !== null) query = query.where('inviterId', '=', inviterId)
  return (await query.execute()).map(toInvitation)
}

/** Returns the invitations to an address that have neither ended nor expired, newest first. Case is ignored. */
export async function findPendingInvitationsTo(
  db: Db,
  realmId: number,
  email: string,
  now: number,
): Promise<Invitation[]> {
  const rows = await db
    .selectFrom('invitations')
    .select(invitationColumns)
    .where('realmId', '=', realmId)
    .where('emailKey', '=', email.toLowerCase())
    .where('endedAt', 'is', null)
    .where((is) => is.or([is('expiresAt', 'is', null), is('expiresAt', '>=', now)]))
    .orderBy('id', 'desc')
    .execute()
  return rows.map(toInvitation)
}

/**
 * Returns the invitations and links that ended or expired between `since` and `now`. The one that ended last comes
 * first.
 */
export async function findEndedInvitations(
  db: Db,
  realmId: number,
  { since, now, inviterId }: { since: number; now: number; inviterId: number | null },
): Promise<Invitation[]> {
  let query = db
    .selectFrom('invitations')
    .select(invitationColumns)
    .where('realmId', '=', realmId)
    .where((is) =>
      is.or([
        is('endedAt', '>=', since),
        is.and([is('endedAt', 'is', null), is('expiresAt', '>=', since), is('expiresAt', '<', now)]),
      ]),
    )
    .orderBy((is) => is.fn.coalesce('endedAt', 'expiresAt'), 'desc')
    .orderBy('id', 'desc')
  if (inviterId !== null) query = query.where('inviterId', '=', inviterId)
  return (await query.execute()).map(toInvitation)
}

type NewInvitation = Omit<Invitation, 'id' | 'formerKeyHash' | 'createdAt' | 'sentAt' | 'uses' | 'endedAt' | 'endedAs'>

/** Saves the invitations and returns their ids, in the same order. */
export function saveInvitations(tx: Transaction, invitations: readonly NewInvitation[]): Promise<number[]> {
  const rows = invitations.map((invitation) => ({
    ...invitation,
    formerKeyHash: null,
    emailKey: invitation.email?.toLowerCase() ?? null,
    createdAt: tx.now,
    sentAt: tx.now,
    channelIds: JSON.stringify(invitation.channelIds),
    groupIds: JSON.stringify(invitation.groupIds),
    includesDefaultChannels: invitation.includesDefaultChannels ? (1 as const) : (0 as const),
    notifiesInviter: invitation.notifiesInviter ? (1 as const) : (0 as const),
    allowedDomains: JSON.stringify(invitation.allowedDomains),
    uses: 0,
    askedAgainAt: null,
    endedAt: null,
    endedAs: null,
  }))
  return insertRowsWithIds(tx, 'invitations', rows)
}

type Lifetime = { sentAt?: number; lifetimeMinutes?: number | null; expiresAt: number | null }

/** Saves a new lifetime of an invitation. Returns false if the invitation has ended. */
export async function saveInvitationLifetime(tx: Transaction, id: number, lifetime: Lifetime): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('invitations')
    .set(lifetime)
    .where('id', '=', id)
    .where('endedAt', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Ends an invitation. Returns false if it had ended before. */
export async function saveInvitationEnd(tx: Transaction, id: number, reason: InvitationEndReason): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('invitations')
    .set({ endedAt: tx.now, endedAs: reason })
    .where('id', '=', id)
    .where('endedAt', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Ends all invitations and links of an inviter. Returns the ids of those that this call has ended. */
export async function saveEndOfInvitationsFrom(
  tx: Transaction,
  inviterId: number,
  reason: InvitationEndReason,
): Promise<number[]> {
  const rows = await tx
    .updateTable('invitations')
    .set({ endedAt: tx.now, endedAs: reason })
    .where('inviterId', '=', inviterId)
    .where('endedAt', 'is', null)
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}

/** Ends all invitations to an address, ignoring case. Returns those that this call has ended. */
export async function saveEndOfInvitationsTo(
  tx: Transaction,
  realmId: number,
  email: string,
  reason: InvitationEndReason,
): Promise<{ id: number; inviterId: number }[]> {
  return tx
    .updateTable('invitations')
    .set({ endedAt: tx.now, endedAs: reason })
    .where('realmId', '=', realmId)
    .where('emailKey', '=', email.toLowerCase())
    .where('endedAt', 'is', null)
    .returning(['id', 'inviterId'])
    .execute()
}

/**
 * Counts one use of a pending invitation. The last use ends the invitation. Returns null if the invitation is not
 * pending. The number of concurrent transactions that succeed never exceeds the remaining uses.
 */
export async function saveInvitationUse(tx: Transaction, id: number): Promise<Invitation | null> {
  const row = await tx
    .updateTable('invitations')
    .set((is) => {
      const isLast = is(is('uses', '+', 1), '>=', is.ref('maxUses'))
      return {
        uses: is('uses', '+', 1),
        endedAt: is.case().when(isLast).then(sql<number>`cast(${tx.now} as double precision)`).else(null).end(),
        endedAs: is.case().when(isLast).then(sql<string>`'accepted'`).else(null).end(),
      }
    })
    .where('id', '=', id)
    .where('endedAt', 'is', null)
    .where((is) => is.or([is('expiresAt', 'is', null), is('expiresAt', '>=', tx.now)]))
    .returning(invitationColumns)
    .executeTakeFirst()
  return row === undefined ? null : toInvitation(row)
}

/** Records a request for a new invitation. Returns false if another request was recorded after `since`. */
export async function saveRenewalRequest(tx: Transaction, id: number, since: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('invitations')
    .set({ askedAgainAt: tx.now })
    .where('id', '=', id)
    .where((is) => is.or([is('askedAgainAt', 'is', null), is('askedAgainAt', '<=', since)]))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

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
