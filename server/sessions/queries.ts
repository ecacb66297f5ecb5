import { defineCache } from '../storage/cache.ts'
import type { Db, Transaction } from '../storage/storage.ts'
import type { Session } from './session.ts'

const columns = ['id', 'userId', 'hash', 'isKept', 'expiresAt'] as const

const sessionByHash = defineCache<string, Session | null>({
  dependsOn: ['sessions'],
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
    .values({ ...session, isKept: session.isKept ? 1 : 0, openedAt: tx.now })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { ...session, id }
}

export async function saveExpiry(tx: Transaction, session: Session, expiresAt: number): Promise<void> {
  await tx.updateTable('sessions').set({ expiresAt }).where('id', '=', session.id).execute()
}

export async function endSession(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('sessions').where('id', '=', id).execute()
}

/** Ends the sessions of an account, but for the one that is spared. */
export async function endSessionsOf(tx: Transaction, userId: number, spared: Session | null = null): Promise<void> {
  await tx
    .deleteFrom('sessions')
    .where('userId', '=', userId)
    .where('id', '!=', spared?.id ?? 0)
    .execute()
}

/** Deletes what has expired. */
export async function endExpiredSessions(tx: Transaction): Promise<void> {
  await tx.deleteFrom('sessions').where('expiresAt', '<=', tx.now).execute()
}
