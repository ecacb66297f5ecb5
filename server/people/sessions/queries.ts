import { defineCache } from '../../platform/storage/cache.ts'
import type { Db, Transaction } from '../../platform/storage/storage.ts'
import type { Session } from './session.ts'

const columns = ['id', 'userId', 'hash', 'isKept', 'openedAt', 'expiresAt'] as const

const sessionByHash = defineCache<string, Session | null>({
  // Somebody who logs in changes nothing for those who are in.
  dependsOn: [],
  dependsOnRowsOf: ['sessions'],
  limit: 20_000,
  async load(db, hash) {
    const row = await db.selectFrom('sessions').select(columns).where('hash', '=', hash).executeTakeFirst()
    return row === undefined ? null : { ...row, isKept: row.isKept === 1 }
  },
})

/** The session whose token has this SHA-256, expired ones included. */
export function findSessionByHash(db: Db, hash: string): Session | null | Promise<Session | null> {
  return sessionByHash.get(db, hash)
}

export async function saveSession(tx: Transaction, session: Omit<Session, 'id'>): Promise<Session> {
  const { id } = await tx
    .insertInto('sessions')
    .values({ ...session, isKept: session.isKept ? 1 : 0 })
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

/** Ends the sessions of an account, but for the one that is spared. */
export async function deleteSessionsOf(tx: Transaction, userId: number, spared: Session | null = null): Promise<void> {
  await tx
    .deleteFrom('sessions')
    .where('userId', '=', userId)
    .where('id', '!=', spared?.id ?? 0)
    .execute()
}

/** Deletes what has expired, once something has done so for a day: until then it is only passed over. */
export async function deleteExpiredSessions(tx: Transaction): Promise<void> {
  const old = await tx.db
    .selectFrom('sessions')
    .select('id')
    .where('expiresAt', '<=', tx.now - 86_400)
    .limit(1)
    .execute()
  if (old.length > 0) await tx.deleteFrom('sessions').where('expiresAt', '<=', tx.now).execute()
}

/** Ends the oldest sessions of an account beyond so many. */
export async function deleteSessionsBeyond(tx: Transaction, userId: number, limit: number): Promise<void> {
  const superfluous = await tx.db
    .selectFrom('sessions')
    .select('id')
    .where('userId', '=', userId)
    .orderBy('id', 'desc')
    .limit(1000)
    .offset(limit)
    .execute()
  const ids = superfluous.map(({ id }) => id)
  if (ids.length > 0) await tx.deleteFrom('sessions').where('id', 'in', ids).execute()
}
