import { readHash } from '../chat/read-hash.ts'
import { toLocation } from '../chat/to-location.ts'
import { type PageLocation, pageOfHash } from './page-of-hash.ts'

/**
 * Returns the location of a fragment that Zulip clients use as an address, such as `#narrow/channel/3-design/topic/tea`
 * or `#settings/profile`; null for other fragments. `ownId` is the id of the user.
 */
export function hashLocation(hash: string, ownId: number): PageLocation | null {
  const found = readHash(hash, ownId)
  if (found === null) return pageOfHash(hash)
  const { to, search } = toLocation(found.narrow, found.near)
  return { to, search: { ...search, ...(found.with !== undefined && { with: found.with }) } }
}

/**
 * Returns true if the fragment looks like the address of a page, and not like the name of a part of the current page.
 */
export const looksLikeAddress = (hash: string): boolean => /^#?(?:narrow\b|[a-z_-]+\/)/.test(hash)
