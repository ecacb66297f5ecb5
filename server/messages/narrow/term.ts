import { z } from 'zod'
import type { Db, RunTransaction } from '#storage/storage.ts'
import { updateSearchIndexForSearch } from '../search/update-search-index.ts'
import { badNarrow } from './refusals.ts'

export type Operand = string | number | readonly (string | number)[]

/** One condition of a narrow. */
export type Term = { operator: string; operand: Operand; negated: boolean }

const operandJson = z.union([z.string(), z.int(), z.array(z.union([z.int(), z.string()]))])

/** The maximum number of terms. It is limited because all terms become part of one SQL statement. */
export const MAX_TERMS = 50

/** A narrow in wire format. A message must match all terms; null matches every message. */
export const narrowJson = z
  .array(
    z.union([
      z.tuple([z.string(), operandJson]),
      z
        .object({ operator: z.string(), operand: operandJson, negated: z.boolean().optional() })
        .meta({ title: 'NarrowTerm' }),
    ]),
  )
  .max(MAX_TERMS)
  .nullable()

function readTerms(narrow: z.output<typeof narrowJson>): Term[] {
  return (narrow ?? []).map((given) => {
    if (!Array.isArray(given)) return { ...given, negated: given.negated ?? false }
    const [operator, operand] = given
    return { operator, operand, negated: false }
  })
}

/**
 * Returns the terms of a narrow. If a term searches for words, the search index is updated first, so that all committed
 * messages are found. Do not call it in a transaction.
 */
export async function prepareTerms(
  storage: { db: Db; transaction: RunTransaction },
  narrow: z.output<typeof narrowJson>,
): Promise<readonly Term[]> {
  const terms = readTerms(narrow)
  if (terms.some((term) => term.operator === 'search')) await updateSearchIndexForSearch(storage)
  return terms
}

/** Returns the operand as text; refuses a list. */
export function operandText({ operator, operand }: Term): string {
  if (typeof operand === 'object') throw badNarrow({ desc: `unknown '${operator}' operand ${operand.join(',')}` })
  return String(operand)
}

const ID = /^\s*\d{1,15}\s*$/

/** Returns the id in the text or number; null if it is not an id. */
export function parseId(value: string | number): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : null
  return ID.test(value) ? Number(value) : null
}
