import { storesPersonalData } from '../browser/personal-data.ts'
import { currentOrganization } from '../organization.ts'

const storageKey = () => `parley.kept.${currentOrganization()?.user_id ?? 0}.removed-drafts`

/** Returns the ids of drafts that were removed here but that the server may still have. */
export function removedIds(): ReadonlySet<number> {
  try {
    return new Set(JSON.parse(localStorage.getItem(storageKey()) ?? '[]') as number[])
  } catch {
    return new Set()
  }
}

export function noteRemoval(id: number): void {
  write(new Set([...removedIds(), id]))
}

export function forgetRemoval(id: number): void {
  const ids = new Set(removedIds())
  if (ids.delete(id)) write(ids)
}

function write(ids: ReadonlySet<number>): void {
  if (!storesPersonalData()) return
  try {
    if (ids.size === 0) localStorage.removeItem(storageKey())
    else localStorage.setItem(storageKey(), JSON.stringify([...ids]))
  } catch {
    // Without storage, a removed draft may come back once.
  }
}
