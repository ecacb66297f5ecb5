import { z } from 'zod'
import type { Db, RunTransaction } from '../../platform/storage/storage.ts'
import { updateSearchIndexForSearch } from '../search/update-search-index.ts'
import { badNarrow } from './refusals.ts'

export type Operand = string | number | readonly (string | number)[]

/** One condition of a narrow. */
export type Term = { operator: string; operand: Operand; negated: boolean }

const operandJson = z.union([z.string(), z.int(), z.array(z.union([z.int(), z.string()]))])

/** More conditions than anybody narrows by; each one is part of one statement. */
export const MAX_TERMS = 50

/** A narrow, as clients write it: conditions that a message must fulfil, all of them; null for none. */
export const narrowJson = z
  .array(
    z.union([
      z.tuple([z.string(), operandJson]),
      z.object({ operator: z.string(), operand: operandJson, negated: z.boolean().optional() }),
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
 * The terms of a narrow that is to be looked for now: when they search for words, all that is committed is found by its
 * words. Not to be called in a transaction.
 */
export async function prepareTerms(
  parts: { db: Db; transaction: RunTransaction },
  narrow: z.output<typeof narrowJson>,
): Promise<readonly Term[]> {
  const terms = readTerms(narrow)
  if (terms.some((term) => term.operator === 'search')) await updateSearchIndexForSearch(parts)
  return terms
}

/** The operand as text; a number stands for its digits. */
export function operandText({ operator, operand }: Term): string {
  if (typeof operand === 'object') throw badNarrow({ desc: `unknown '${operator}' operand ${operand.join(',')}` })
  return String(operand)
}

const ID = /^\s*\d{1,15}\s*$/

/** The id that the text is in digits, or that the number is; null when it is none. */
export function parseId(value: string | number): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : null
  return ID.test(value) ? Number(value) : null
}
