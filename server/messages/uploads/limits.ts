import type { Settings } from '#config.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { hasDailyLimits } from '#people/users/access.ts'
import { DAY, findAccountIdsOfPerson } from '#people/users/daily-limits.ts'
import type { Actor } from '#people/users/user.ts'
import type { Db } from '#storage/storage.ts'
import { findSpaceUsed, findSpaceUsedSince } from '../attachments/queries.ts'

export const fileTooLarge = refusal(
  'BAD_REQUEST',
  400,
  "File is larger than this server's configured maximum upload size ({limit} MiB).",
  { field: 'file' },
)
export const quotaExceeded = refusal(
  'REALM_UPLOAD_QUOTA',
  400,
  "Upload would exceed your organization's upload quota.",
  { field: 'file' },
)

export const dailyUploadLimitReached = refusal(
  'BAD_REQUEST',
  400,
  'You cannot upload more than {limit} MiB in 24 hours. Try again later, or delete files that you uploaded.',
)

export const MEBIBYTE = 1024 * 1024

export function requireUploadSize({ MAX_FILE_UPLOAD_SIZE_MIB: limit }: Settings, bytes: number): void {
  if (bytes > limit * MEBIBYTE) throw fileTooLarge({ limit })
}

/** Refuses a file that exceeds the organization's quota or the actor's limit per 24 hours. */
export async function requireUploadSpace(db: Db, actor: Actor, bytes: number, now: number): Promise<void> {
  const quota = db.settings.UPLOAD_QUOTA_MIB * MEBIBYTE
  if (quota > 0 && (await findSpaceUsed(db, actor.realmId)) + bytes > quota) throw quotaExceeded()
  const limit = db.settings.UPLOADS_PER_DAY_MIB
  if (limit === 0 || !hasDailyLimits(actor)) return
  const uploadedBytes = await findSpaceUsedSince(db, await findAccountIdsOfPerson(db, actor), now - DAY)
  if (uploadedBytes + bytes > limit * MEBIBYTE) throw dailyUploadLimitReached({ limit })
}
