import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '#api.ts'
import { onPostgres } from '../database.ts'
import { isLong, seed } from '../size.ts'
import { answerOf, callersOf, cells, isSuccess, sampleOf } from './cells.ts'
import { startOrganization } from './organization.ts'
import { leftOut, settings, table } from './table.ts'
import { openUndo } from './undone.ts'

/** The number of cells in a short run. */
const SAMPLE = 700

test('everyone may do what the table says, and nothing else', async (context) => {
  const organization = await startOrganization(settings)
  const undo = onPostgres ? null : await openUndo(organization.chat)
  const chosen = (isLong ? cells : sampleOf(cells, SAMPLE))
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
    const call = `${cell.row.route} on ${cell.target} by ${cell.caller}`
    const found = `${answer.status} ${answer.body.slice(0, 120).trim()}`
    if (![200, 400, 401, 403, 404].includes(answer.status) || isAllowed !== cell.isAllowed)
      wrong.push(`${call}: the table says ${cell.isAllowed ? 'allowed' : 'refused'}, but ${found}`)
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
