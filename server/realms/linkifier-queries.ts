import { compileLinkifier, type Linkifier } from '../markdown/linkifier.ts'
import { defineCache } from '../storage/cache.ts'
import type { Db } from '../storage/storage.ts'

/** A rule of an organization by which parts of messages and topics become links. */
export type RealmLinkifier = { id: number; pattern: string; urlTemplate: string }

/** An organization's linkifiers by falling priority, and the same ready for use. */
export type RealmLinkifiers = { rules: readonly RealmLinkifier[]; compiled: readonly Linkifier[] }

const linkifiersOfRealm = defineCache<number, RealmLinkifiers>({
  dependsOn: ['linkifiers'],
  limit: 1000,
  async load(db, realmId) {
    const rules = await db
      .selectFrom('linkifiers')
      .select(['id', 'pattern', 'urlTemplate'])
      .where('realmId', '=', realmId)
      .orderBy('position')
      .orderBy('id')
      .execute()
    return { rules, compiled: rules.map(compileLinkifier) }
  },
})

export function findLinkifiers(db: Db, realmId: number): RealmLinkifiers | Promise<RealmLinkifiers> {
  return linkifiersOfRealm.get(db, realmId)
}
