import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { type CrashState, crashState, type SurvivingWrites } from '../../../test/power-loss/crash-states.ts'
import { buildRecorder, type Operation, recordWrites } from '../../../test/power-loss/record.ts'
import { sized } from '../../../test/size.ts'
import { temporaryFolder } from '../../../test/storage.ts'

const recorder = await buildRecorder()
const skip = 'missing' in recorder && recorder.missing

const operations: Operation[] = 'path' in recorder ? await recordWrites(recorder.path, sized(200, 2000)) : []
const folder = await temporaryFolder()

const SURVIVALS: readonly SurvivingWrites[] = ['nothing', 'everything', 'any mix', 'any mix']

/** Returns a generator that returns the same numbers in each run. */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Returns `count` moments of a power loss: at any time, while the database is written, and while the log restarts. */
function momentsOf(count: number, random: () => number): number[] {
  const first = operations.findIndex(({ kind }) => kind === 'line')
  const after = (chosen: (operation: Operation) => boolean) =>
    operations.flatMap((operation, index) => (index > first && chosen(operation) ? [index + 1] : []))
  const kinds = [
    after(() => true),
    after((operation) => operation.kind === 'write' && operation.file === 'database'),
    after((operation) => operation.kind === 'write' && operation.file === 'log' && operation.offset < 4152),
  ]
  for (const moments of kinds) assert.ok(moments.length > 0, 'the recording contains all kinds of moments')
  return Array.from({ length: count }, (_, index) => {
    const moments = kinds[index % kinds.length] as number[]
    return moments[Math.floor(random() * moments.length)] as number
  })
}

const acknowledgedBefore = (at: number) =>
  operations.slice(0, at).flatMap((operation) => (operation.kind === 'line' ? operation.text.trim().split('\n') : []))

/** Returns the fault that a server finds when it starts on this disk; null if there is none. */
function faultOf({ database, log }: CrashState, acknowledged: readonly string[], folder: string): string | null {
  mkdirSync(folder)
  const path = join(folder, 'parley.db')
  writeFileSync(path, database)
  writeFileSync(`${path}-wal`, log)
  try {
    using opened = new DatabaseSync(path)
    opened.exec('pragma synchronous = off')
    const verdict = opened.prepare('pragma integrity_check').get()?.['integrity_check']
    if (verdict !== 'ok') return `damaged: ${verdict}`
    const found = (sql: string) =>
      opened
        .prepare(sql)
        .all()
        .map((row) => String(row['number']))
        .sort()
    const named = (end: string) =>
      found(`select cast(name as integer) as number from installation where name like '% ${end}'`)
    const [first, second, events] = [named('first'), named('second'), found('select type as number from events')]
    if (first.join() !== second.join() || first.join() !== events.join()) return 'a partial transaction'
    const known = new Set(first)
    const lost = acknowledged.filter((number) => !known.has(number))
    return lost.length === 0 ? null : `lost: ${lost.join()}`
  } catch (error) {
    return `cannot be read: ${(error as Error).message}`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('after a power loss at any time all acknowledged writes are there, none is partial, and the file is sound', {
  skip,
}, () => {
  const random = seededRandom(7)
  const moments = momentsOf(sized(24, 600), random)

  for (const at of moments)
    for (const survival of SURVIVALS) {
      const state = crashState(operations, at, { survival, random })
      assert.equal(faultOf(state, acknowledgedBefore(at), join(folder, 'disk')), null, `${survival} before ${at}`)
    }
})

test('a disk that ignores the syncs of the log loses acknowledged writes, and these tests detect it', { skip }, () => {
  const random = seededRandom(8)
  const moments = momentsOf(9, random)

  const faults = moments.map((at) => {
    const state = crashState(operations, at, { survival: 'any mix', random, trusts: (file) => file !== 'log' })
    return faultOf(state, acknowledgedBefore(at), join(folder, 'disk'))
  })

  assert.ok(faults.filter((fault) => fault !== null).length > 4, faults.join('; '))
})
