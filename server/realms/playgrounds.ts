import { z } from 'zod'
import type { Db, Transaction } from '#storage/storage.ts'

// The code playgrounds of an organization, as they are stored and as clients see them. The server does not use them
// itself.

/** A site that runs code in one programming language. The organization has chosen it. */
export type Playground = {
  id: number
  name: string
  /** The programming language, usually by its Pygments name. Clients compare it with the language of code blocks. */
  language: string
  /** An RFC 6570 URI template with the single variable `code`. */
  urlTemplate: string
}

const columns = ['id', 'name', 'language', 'urlTemplate'] as const

/** Returns the organization's playgrounds in the order in which they were added. */
export function findPlaygrounds(db: Db, realmId: number): Promise<Playground[]> {
  return db.selectFrom('playgrounds').select(columns).where('realmId', '=', realmId).orderBy('id').execute()
}

/** Saves a new playground and returns its id. */
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

/** Deletes a playground. Returns false if the organization did not have it. */
export async function deletePlayground(tx: Transaction, realmId: number, id: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('playgrounds')
    .where('id', '=', id)
    .where('realmId', '=', realmId)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export const playgroundJson = z.strictObject({
  id: z.int(),
  name: z.string(),
  pygments_language: z.string(),
  url_template: z.string(),
})

type PlaygroundJson = z.infer<typeof playgroundJson>

export function toPlaygroundJson({ id, name, language, urlTemplate }: Playground): PlaygroundJson {
  return { id, name, pygments_language: language, url_template: urlTemplate }
}
