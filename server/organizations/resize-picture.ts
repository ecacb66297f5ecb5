import type { Settings } from '#config.ts'
import { toAvatar, toLogo } from '#lib/images/resize.ts'
import { canResize } from '#lib/images/sharp.ts'
import type { Requester } from '#lib/jobs/fair-queue.ts'
import type { RealmPictureKind } from '#realms/realm.ts'

/**
 * Resizes the picture to the size for its kind, and an icon also to a larger size. Returns null if the picture cannot
 * be decoded.
 */
export async function toRealmPicture(
  settings: Settings,
  kind: RealmPictureKind,
  bytes: Buffer,
  requester: Requester,
): Promise<{ picture: Buffer; large: Buffer | null } | null> {
  if (!canResize(settings)) return { picture: bytes, large: null }
  if (kind === 'icon') {
    const icon = await toAvatar(bytes, requester)
    return icon && { picture: icon.small, large: icon.medium }
  }
  const logo = await toLogo(bytes, requester)
  return logo && { picture: logo, large: null }
}
