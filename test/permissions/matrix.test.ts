import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { api } from '#api.ts'
import { onPostgres } from '../database.ts'
import { noResizing, picture } from '../pictures.ts'
import { isLong } from '../size.ts'
import { type Answer, type CallerName, callerNames, type Organization, startOrganization } from './organization.ts'
import { leftOut, type Row, sets, settings, table } from './table.ts'
import { openUndo } from './undone.ts'

/** The number of cells in a short run. */
const SAMPLE = 700

/** One call by one caller on one target. */
type Cell = { row: Row; target: string; caller: CallerName; isAllowed: boolean }

/** Returns the callers that words of the table name. */
function callersOf(who: string): Set<CallerName> {
  const found = new Set<CallerName>()
  for (const word of who.split(' ').filter((one) => one !== '')) {
    const name = word.replace('-', '')
    const named = name in sets ? callersOf(sets[name as keyof typeof sets]) : [name as CallerName]
    for (const caller of named) word.startsWith('-') ? found.delete(caller) : found.add(caller)
  }
  return found
}

const cells: readonly Cell[] = table.flatMap((row) =>
  Object.entries(row.may).flatMap(([target, who]) => {
    const allowed = callersOf(who)
    return callerNames.map((caller) => ({ row, target, caller, isAllowed: allowed.has(caller) }))
  }),
)

/** Returns some of the cells; the same ones for the same seed. */
function sampleOf(all: readonly Cell[], count: number, seed: number): Cell[] {
  const left = [...all]
  let state = seed
  const next = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  return Array.from({ length: Math.min(count, all.length) }, () => left.splice(next(left.length), 1)[0] as Cell)
}

const image = noResizing ? null : await picture(20, 20)

async function answerOf({ callers, targets }: Organization, { row, target, caller }: Cell): Promise<Answer> {
  const { own, send } = callers[caller]
  const values = target === 'own' ? own : targets[target]
  assert(values, `test/permissions/organization.ts has no target ${target}`)
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
  return send({ route, params, file, isAtHome })
}

/** Returns whether the caller was allowed to do it, or to see it. */
function isSuccess({ targets, callers }: Organization, { row, target, caller }: Cell, answer: Answer): boolean {
  const values = target === 'own' ? callers[caller].own : (targets[target] ?? {})
  return answer.status === 200 && (row.shows === undefined || answer.body.includes(row.shows(values)))
}

test('everyone may do what the table says, and nothing else', async (context) => {
  const seed = Number(process.env['PARLEY_TEST_SEED'] ?? randomInt(2 ** 32))
  const organization = await startOrganization(settings)
  const undo = onPostgres ? null : await openUndo(organization.chat)
  const chosen = (isLong ? cells : sampleOf(cells, SAMPLE, seed))
    .filter(({ row }) => row.sendsPicture !== true || image !== null)
    // Only SQLite undoes changes.
    .filter(({ row, isAllowed }) => undo !== null || !isAllowed || row.route.startsWith('GET '))
  context.diagnostic(`${chosen.length} of ${cells.length} cells, PARLEY_TEST_SEED=${seed}`)
  let emitted = 0
  organization.chat.app.storage.onCommit((commit) => {
    emitted += commit.emitted.length
  })

  const wrong: string[] = []
  for (const cell of chosen) {
    emitted = 0
    const answer = await (undo === null ? answerOf(organization, cell) : undo(() => answerOf(organization, cell)))
    const isAllowed = isSuccess(organization, cell, answer)
    const { row, target, caller } = cell
    const call = `${row.route} on ${target} by ${caller}`
    if (![200, 400, 401, 403, 404].includes(answer.status) || isAllowed !== cell.isAllowed)
      wrong.push(
        `${call}: the table says ${cell.isAllowed ? 'allowed' : 'refused'}, but ${answer.status} ${answer.body.slice(0, 120).trim()}`,
      )
    if (answer.status !== 200 && emitted > 0) wrong.push(`${call}: was refused, but emitted ${emitted} events`)
  }

  assert.deepEqual(wrong, [], `PARLEY_TEST_SEED=${seed}`)
})

test('each call of the table is allowed for somebody', () => {
  const forNobody = table.filter(({ may }) => Object.values(may).every((who) => callersOf(who).size === 0))

  assert.deepEqual(
    forNobody.map(({ route }) => route),
    [],
  )
})

test('no endpoint is missing in the table', () => {
  const listed = new Set([...table.map(({ route }) => route), ...Object.values(leftOut).flat()])
  const routes = api.map(({ method, path }) => `${method} ${path}`)

  assert.deepEqual(
    [routes.filter((route) => !listed.has(route)), [...listed].filter((route) => !routes.includes(route))],
    [[], []],
    'The first list has endpoints without a row in test/permissions/table.ts: add who may call them, on which targets, ' +
      'or name them in `leftOut` with the reason. The second list has routes of the table that do not exist',
  )
})
