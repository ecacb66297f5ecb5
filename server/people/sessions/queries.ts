import { defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { Session } from './session.ts'

const columns = ['id', 'userId', 'hash', 'isKept', 'openedAt', 'expiresAt'] as const

const sessionByHash = defineCache<string, Session | null>({
  // New sessions do not change cached ones.
  dependsOn: [],
  dependsOnRowsOf: ['sessions'],
  limit: 20_000,
  async load(db, hash) {
    const row = await db.selectFrom('sessions').select(columns).where('hash', '=', hash).executeTakeFirst()
    return row === undefined ? null : { ...row, isKept: row.isKept === 1 }
  },
})

/** Returns the session whose token has this SHA-256 hash, even if it has expired. */
export function findSessionByHash(db: Db, hash: string): Session | null | Promise<Session | null> {
  return sessionByHash.get(db, hash)
}

/** Returns the sessions of an account that have not expired, with the names of their browsers, newest first. */
export async function findSessionsOf(
  db: Db,
  userId: number,
  now: number,
): Promise<{ id: number; browser: string; openedAt: number; expiresAt: number }[]> {
  return db
    .selectFrom('sessions')
    .select(['id', 'browser', 'openedAt', 'expiresAt'])
    .where('userId', '=', userId)
    .where('expiresAt', '>', now)
    .orderBy('id', 'desc')
    .execute()
}

export async function saveSession(tx: Transaction, session: Omit<Session, 'id'>, browser = ''): Promise<Session> {
  const { id } = await tx
    .insertInto('sessions')
    .values({ ...session, browser, isKept: session.isKept ? 1 : 0 })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { ...session, id }
}

export async function saveExpiry(tx: Transaction, session: Session, expiresAt: number): Promise<void> {
  await tx.updateTable('sessions').set({ expiresAt }).where('id', '=', session.id).execute()
}

export async function deleteSession(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('sessions').where('id', '=', id).execute()
}

/** Deletes all sessions of an account, except `except`. */
export async function deleteSessionsOf(tx: Transaction, userId: number, except: Session | null = null): Promise<void> {
  await tx
    .deleteFrom('sessions')
    .where('userId', '=', userId)
    .where('id', '!=', except?.id ?? 0)
    .execute()
}

/**
 * Deletes all expired sessions if one of them expired at least a day ago. Expired sessions are ignored until they are
 * deleted.
 */
export async function deleteExpiredSessions(tx: Transaction): Promise<void> {
  const old = await tx.db
    .selectFrom('sessions')
    .select('id')
    .where('expiresAt', '<=', tx.now - 86_400)
    .limit(1)
    .execute()
  if (old.length > 0) await tx.deleteFrom('sessions').where('expiresAt', '<=', tx.now).execute()
}

/** Deletes the oldest sessions of an account until `limit` sessions are left. */
export async function deleteSessionsBeyond(tx: Transaction, userId: number, limit: number): Promise<void> {
  const excess = await tx.db
    .selectFrom('sessions')
    .select('id')
    .where('userId', '=', userId)
    .orderBy('id', 'desc')
    .limit(1000)
    .offset(limit)
    .execute()
  const ids = excess.map(({ id }) => id)
  if (ids.length > 0) await tx.deleteFrom('sessions').where('id', 'in', ids).execute()
}
