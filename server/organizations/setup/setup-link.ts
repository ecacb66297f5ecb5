import { hashSecret } from '../../platform/security/secrets.ts'
import type { Db, Transaction } from '../../platform/storage/storage.ts'
import { hasOrganization } from '../realms/queries.ts'
import { type SetupDraft, setupDraft } from './setup-draft.ts'

/** How long a link can be used. */
export const SETUP_VALIDITY = 86_400

/** In bytes. */
const TOKEN_LENGTH = 32

/**
 * One more link by which the first organization can be set up, those before it staying good: somebody may be half
 * through. Null when there is an organization already.
 */
export async function issueSetupLink(tx: Transaction): Promise<string | null> {
  if (await hasOrganization(tx.db)) return null
  await tx.deleteFrom('setupLinks').where('expiresAt', '<=', tx.now).execute()
  const token = tx.random.bytes(TOKEN_LENGTH).toString('base64url')
  await tx
    .insertInto('setupLinks')
    .values({ hash: hashSecret(token), expiresAt: tx.now + SETUP_VALIDITY, draft: '{}' })
    .execute()
  return `${tx.db.settings.EXTERNAL_URL}/new/${token}/`
}

/** What was said with the link so far; null when it is none, or no longer. */
export async function findSetupDraft(db: Db, token: string, now: number): Promise<SetupDraft | null> {
  const row = await db
    .selectFrom('setupLinks')
    .select('draft')
    .where('hash', '=', hashSecret(token))
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  return row === undefined ? null : setupDraft.parse(JSON.parse(row.draft))
}

export async function saveSetupDraft(tx: Transaction, token: string, draft: SetupDraft): Promise<void> {
  await tx
    .updateTable('setupLinks')
    .set({ draft: JSON.stringify(draft) })
    .where('hash', '=', hashSecret(token))
    .execute()
}

/** Ends the link, and all others with it; false when it has ended before, since one set-up ends them all. */
export async function consumeSetupLink(tx: Transaction, token: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('setupLinks')
    .where('hash', '=', hashSecret(token))
    .where('expiresAt', '>', tx.now)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) return false
  await tx.deleteFrom('setupLinks').execute()
  return true
}
