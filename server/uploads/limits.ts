import { refusal } from '../base/refusal.ts'
import type { Settings } from '../config.ts'
import { findSpaceUsed } from '../messages/attachments/queries.ts'
import type { Db } from '../storage/storage.ts'

export const fileTooLarge = refusal(
  'BAD_REQUEST',
  400,
  "File is larger than this server's configured maximum upload size ({limit} MiB).",
)
export const quotaExceeded = refusal('REALM_UPLOAD_QUOTA', 400, "Upload would exceed your organization's upload quota.")

export const MEBIBYTE = 1024 * 1024

/** Refuses a file that is larger than any may be. */
export function requireAcceptableSize({ MAX_FILE_UPLOAD_SIZE_MIB: limit }: Settings, bytes: number): void {
  if (bytes > limit * MEBIBYTE) throw fileTooLarge({ limit })
}

/** Refuses what the organization has no room for. */
export async function requireRoom(db: Db, realmId: number, bytes: number): Promise<void> {
  const quota = db.settings.UPLOAD_QUOTA_MIB * MEBIBYTE
  if (quota > 0 && (await findSpaceUsed(db, realmId)) + bytes > quota) throw quotaExceeded()
}
