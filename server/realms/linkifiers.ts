import { z } from 'zod'
import { compileLinkifier, type Linkifier } from '#markdown/linkifier.ts'
import { defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// The linkifiers of an organization, as they are stored and as clients see them. They are compiled once after each
// change, not for each message.

/** A rule of an organization that turns parts of messages and topics into links. */
export type RealmLinkifier = { id: number; pattern: string; urlTemplate: string }

/** The linkifiers of an organization in descending priority, as rules and in compiled form. */
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

/** Adds a linkifier with the lowest priority. Returns its id. */
export async function saveLinkifier(
  tx: Transaction,
  realmId: number,
  rule: Omit<RealmLinkifier, 'id'>,
): Promise<number> {
  const { last } = await tx.db
    .selectFrom('linkifiers')
    .select((is) => is.fn.max<number | null>('position').as('last'))
    .where('realmId', '=', realmId)
    .executeTakeFirstOrThrow()
  const { id } = await tx
    .insertInto('linkifiers')
    .values({ ...rule, realmId, position: (last ?? 0) + 1 })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function saveLinkifierFields(
  tx: Transaction,
  id: number,
  fields: { pattern?: string; urlTemplate?: string; position?: number },
): Promise<void> {
  await tx.updateTable('linkifiers').set(fields).where('id', '=', id).execute()
}

export async function deleteLinkifier(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('linkifiers').where('id', '=', id).execute()
}

export const linkifierJson = z.object({ id: z.int(), pattern: z.string(), url_template: z.string() })

type LinkifierJson = z.infer<typeof linkifierJson>

export function toLinkifierJson({ id, pattern, urlTemplate }: RealmLinkifier): LinkifierJson {
  return { id, pattern, url_template: urlTemplate }
}
