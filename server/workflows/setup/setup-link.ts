import { hashSecret } from '#lib/security/secrets.ts'
import { hasOrganization } from '#realms/queries.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { type SetupDraft, setupDraft } from './setup-draft.ts'

/** Seconds until a setup link expires. */
export const SETUP_VALIDITY = 86_400

/** The length of a token in bytes. */
const TOKEN_LENGTH = 32

/**
 * Issues a link for setting up the first organization. Earlier links stay valid, because one of them may be in use.
 * Returns null if an organization already exists.
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

/** Returns the draft of the link with this token; null if the link is invalid or has expired. */
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

/**
 * Uses a link. It deletes all links, because only one organization can be set up. Returns false if the link was no
 * longer valid.
 */
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
