import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { decrypt, encrypt, type Random } from '#lib/secrets.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { ZoomTokens } from './calls/zoom.ts'

// The tokens with which the server starts meetings for a user. They are stored encrypted with the secret of the server,
// so that a copy of the database alone opens nobody's account at Zoom.

const storedTokens = z.object({ access: z.string(), refresh: z.string(), expiresAt: z.number() })

const purposeOf = (userId: number) => ['zoom tokens', userId]

/** Returns the tokens of a user. Returns null if there are none, or if they were encrypted with another secret. */
export async function findZoomTokens(db: Db, secret: KeyObject, userId: number): Promise<ZoomTokens | null> {
  const row = await db.selectFrom('zoomTokens').select('tokens').where('userId', '=', userId).executeTakeFirst()
  const text = row === undefined ? null : decrypt(secret, purposeOf(userId), row.tokens)
  return text === null ? null : storedTokens.parse(JSON.parse(text))
}

export async function hasZoomTokens(db: Db, userId: number): Promise<boolean> {
  const row = await db.selectFrom('zoomTokens').select('userId').where('userId', '=', userId).executeTakeFirst()
  return row !== undefined
}

/** Makes transactions that change the tokens of a user wait for each other. */
async function lockTokens(tx: Transaction, userId: number): Promise<void> {
  await tx.db.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
}

/** Saves the tokens of a user, and emits an event if there were none before. */
export async function saveZoomTokens(
  tx: Transaction,
  { secret, random }: { secret: KeyObject; random: Random },
  { id: userId, realmId }: { id: number; realmId: number },
  given: ZoomTokens,
): Promise<void> {
  await lockTokens(tx, userId)
  const isNew = !(await hasZoomTokens(tx.db, userId))
  const tokens = encrypt(secret, random, purposeOf(userId), JSON.stringify(given))
  await tx
    .insertInto('zoomTokens')
    .values({ userId, tokens })
    .onConflict((on) => on.column('userId').doUpdateSet({ tokens }))
    .execute()
  if (isNew) tx.emit(realmId, { type: 'has_zoom_token', value: true }, [userId])
}

/** Deletes the tokens of a user, and emits an event if there were any. */
export async function deleteZoomTokens(
  tx: Transaction,
  { id: userId, realmId }: { id: number; realmId: number },
): Promise<void> {
  if (!(await hasZoomTokens(tx.db, userId))) return
  await tx.deleteFrom('zoomTokens').where('userId', '=', userId).execute()
  tx.emit(realmId, { type: 'has_zoom_token', value: false }, [userId])
}

/** Deletes tokens that Zoom refused, unless another node has replaced them meanwhile. */
export async function deleteRefusedTokens(
  tx: Transaction,
  secret: KeyObject,
  actor: { id: number; realmId: number },
  refused: ZoomTokens,
): Promise<void> {
  await lockTokens(tx, actor.id)
  const current = await findZoomTokens(tx.db, secret, actor.id)
  if (current?.refresh === refused.refresh) await deleteZoomTokens(tx, actor)
}
