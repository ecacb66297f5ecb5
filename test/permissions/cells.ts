import assert from 'node:assert/strict'
import { noResizing, picture } from '../pictures.ts'
import { seed } from '../size.ts'
import { type Answer, type CallerName, callerNames, type Organization, type Values } from './organization.ts'
import { type Row, sets, table } from './table.ts'

/** One call of the table by one caller on one target. */
export type Cell = { row: Row; target: string; caller: CallerName; isAllowed: boolean }

/** Returns the callers that words of the table name. */
export function callersOf(who: string): Set<CallerName> {
  const found = new Set<CallerName>()
  for (const word of who.split(' ').filter((one) => one !== '')) {
    const name = word.replace('-', '')
    const named = name in sets ? callersOf(sets[name as keyof typeof sets]) : [name as CallerName]
    for (const caller of named) word.startsWith('-') ? found.delete(caller) : found.add(caller)
  }
  return found
}

const image = noResizing ? null : await picture(20, 20)

/** All cells, without those that need a picture if none can be resized. */
export const cells: readonly Cell[] = table
  .filter(({ sendsPicture }) => sendsPicture !== true || image !== null)
  .flatMap((row) =>
    Object.entries(row.may).flatMap(([target, who]) => {
      const allowed = callersOf(who)
      return callerNames.map((caller) => ({ row, target, caller, isAllowed: allowed.has(caller) }))
    }),
  )

/** Returns `count` of the values in their order; the same ones for the same seed. */
export function sampleOf<Value>(all: readonly Value[], count: number): Value[] {
  const left = [...all.keys()]
  let state = seed
  const next = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  const chosen = Array.from(
    { length: Math.min(count, all.length) },
    () => left.splice(next(left.length), 1)[0] as number,
  )
  return chosen.toSorted((one, other) => one - other).map((index) => all[index] as Value)
}

/** Returns the values of the cell's target. */
function valuesOf({ callers, targets }: Organization, { target, caller }: Cell): Values {
  const values = target === 'own' ? callers[caller].own : targets[target]
  assert(values, `test/permissions/organization.ts has no target ${target}`)
  return values
}

/** Makes the call of a cell. */
export async function answerOf(organization: Organization, cell: Cell): Promise<Answer> {
  const { row, target, caller } = cell
  const values = valuesOf(organization, cell)
  const params = { ...row.params(values) }
  const route = row.route.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? values[name]
    assert(value !== undefined, `${row.route}: the target ${target} has no ${name}`)
    delete params[name]
    return encodeURIComponent(String(value))
  })
  const file = row.sendsPicture === true && image !== null ? { name: 'picture.png', bytes: image } : undefined
  // Accounts of other organizations use the ids of objects at their own host, too, but not those that are theirs.
  const isAtHome = caller === 'foreign' && !/^own$|^organization$|elsewhere$/.test(target)
  return organization.callers[caller].send({ route, params, file, isAtHome })
}

/** Returns whether the caller was allowed to make the call, or to see the target. */
export const isSuccess = (organization: Organization, cell: Cell, { status, body }: Answer): boolean =>
  status === 200 && (cell.row.shows === undefined || body.includes(cell.row.shows(valuesOf(organization, cell))))
