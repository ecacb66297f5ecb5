import type { Db, Transaction } from '../../platform/storage/storage.ts'

/** A site of an organization's choice where code of a language can be run. */
export type Playground = {
  id: number
  name: string
  /** As Pygments calls it, or otherwise: clients compare it with the language of code blocks. */
  language: string
  /** A URI template of RFC 6570 with the one variable `code`. */
  urlTemplate: string
}

const columns = ['id', 'name', 'language', 'urlTemplate'] as const

/** In the order in which they were added. */
export function findPlaygrounds(db: Db, realmId: number): Promise<Playground[]> {
  return db.selectFrom('playgrounds').select(columns).where('realmId', '=', realmId).orderBy('id').execute()
}

/** Returns its id. */
export async function savePlayground(
  tx: Transaction,
  realmId: number,
  playground: Omit<Playground, 'id'>,
): Promise<number> {
  const { id } = await tx
    .insertInto('playgrounds')
    .values({ realmId, ...playground })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Whether the organization had it until now. */
export async function deletePlayground(tx: Transaction, realmId: number, id: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('playgrounds')
    .where('id', '=', id)
    .where('realmId', '=', realmId)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
