import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toText } from '#lib/shared-json.ts'
import { fc } from '../../test/fast-check.ts'
import { collectPresences, makeRealmBoard, type RealmBoard } from './board.ts'
import { makeEntry, type PresencePerson } from './presence.ts'
import { CHUNK_SIZE } from './update-order.ts'

const NOW = 1_900_000_000
const DAY = 86_400

const person = (id: number, changed: Partial<PresencePerson> = {}): PresencePerson => ({
  id,
  joinedAt: 0,
  publicEmail: `user-${id}@example.com`,
  isActive: true,
  isSharing: true,
  ...changed,
})

type Row = { person: PresencePerson; connectedAt: number; updateId: number }

/** The board, together with a simple model of it: a map of rows that is always searched completely. */
class Both {
  readonly rows = new Map<number, Row>()
  readonly board: RealmBoard

  constructor(count: number) {
    const stored = Array.from({ length: count }, (_, at) => ({
      person: person(at + 1),
      lastActiveAt: null,
      lastConnectedAt: NOW - DAY * (count - at),
      updateId: at + 1,
    }))
    this.board = makeRealmBoard(1, stored, count)
    this.board.raiseCeiling(count, 1_000_000)
    for (const { person, lastConnectedAt, updateId } of stored) {
      this.rows.set(person.id, { person, connectedAt: lastConnectedAt, updateId })
    }
  }

  report(userId: number, connectedAt: number): void {
    const known = this.rows.get(userId)?.person ?? person(userId)
    const updateId = this.board.takeId() as number
    this.board.put(makeEntry(known, { lastActiveAt: null, lastConnectedAt: connectedAt }, updateId))
    this.rows.set(userId, { person: known, connectedAt, updateId })
  }

  change(userId: number, changed: Partial<PresencePerson>): void {
    const row = this.rows.get(userId)
    if (row === undefined) return
    this.rows.set(userId, { ...row, person: { ...row.person, ...changed } })
    this.board.updatePerson({ ...row.person, ...changed })
  }

  compare(viewerId: number, lastUpdateId: number | null, days: number | null, format: 'modern' | 'legacy'): void {
    const query = {
      format,
      lastUpdateId,
      historyLimitDays: days,
      viewerId,
      visibleIds: null,
      addressVisibleIds: null,
      now: NOW,
    }
    const { members, lastUpdateId: highest } = collectPresences(this.board, query, (one) => one.publicEmail ?? '')
    const text = toText(['{', members, '}'])
    const answered = Object.entries(JSON.parse(text) as Record<string, { idle_timestamp?: number }>)

    const isIncremental = (lastUpdateId ?? 0) > 0
    const expected = [...this.rows.values()].filter(
      (row) =>
        row.person.isActive &&
        (row.person.isSharing || row.person.id === viewerId) &&
        row.updateId > (lastUpdateId ?? 0) &&
        (isIncremental || ((days ?? 14) > 0 && row.connectedAt >= NOW - (days ?? 14) * DAY)),
    )
    const keys = expected.map((row) => (format === 'modern' ? String(row.person.id) : row.person.publicEmail))
    assert.deepEqual(answered.map(([key]) => key).sort(), keys.sort())
    assert.equal(text.split('{').length - 2, expected.length * (format === 'modern' ? 1 : 3))
    assert.equal(highest, expected.length === 0 ? null : Math.max(...expected.map((row) => row.updateId)))
    for (const [key, { idle_timestamp }] of format === 'modern' ? answered : []) {
      assert.equal(idle_timestamp, Math.trunc(this.rows.get(Number(key))?.connectedAt ?? 0))
    }
  }
}

const userId = fc.oneof(fc.integer({ min: 1, max: 900 }), fc.integer({ min: 1, max: 5 }))

const step = fc.oneof(
  { weight: 10, arbitrary: fc.tuple(fc.constant('report' as const), userId, fc.integer({ min: -20 * DAY, max: 0 })) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('burst' as const), userId, fc.integer({ min: 2, max: 400 })) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('isActive' as const), userId, fc.integer({ min: 0, max: 1 })) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('isSharing' as const), userId, fc.integer({ min: 0, max: 1 })) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('ask' as const), userId, fc.integer({ min: -3, max: 900 })) },
)

test('every query returns what a complete search returns, after any changes, and no user twice', () => {
  const property = fc.property(fc.integer({ min: 0, max: 700 }), fc.array(step, { maxLength: 40 }), (count, steps) => {
    const both = new Both(count)
    for (const [what, id, number] of steps) {
      if (what === 'report') both.report(id, NOW + number)
      else if (what === 'burst') for (let more = 0; more < number; more++) both.report(((id + more * 7) % 900) + 1, NOW)
      else if (what === 'ask') {
        both.compare(id, number === 900 ? null : number, null, 'modern')
        both.compare(id, both.board.lastId - number, number % 20, 'modern')
        both.compare(id, null, number % 20, 'legacy')
      } else both.change(id, { [what]: number === 1 })
    }
    both.compare(1, -1, null, 'modern')
    both.compare(1, null, 10_000, 'legacy')
  })
  fc.assert(property, { seed: 8, numRuns: 120 })
})

test('entries that stay while others move do not keep a chunk each', () => {
  const both = new Both(0)

  for (let round = 0; round < 200; round++) {
    for (let at = 0; at < CHUNK_SIZE; at++) both.report(1000 + at, NOW)
    both.report(round + 1, NOW)
  }

  assert(both.board.order.chunks.length <= 12, `${both.board.order.chunks.length} chunks for 328 entries`)
  both.compare(1, -1, null, 'modern')
})

test('the JSON for one client is reused for the next, except for chunks that changed', () => {
  const both = new Both(0)
  for (let at = 1; at <= CHUNK_SIZE * 6; at++) both.report(at, NOW)
  const ask = () => {
    const query = {
      format: 'modern',
      lastUpdateId: -1,
      historyLimitDays: null,
      viewerId: 1,
      visibleIds: null,
      addressVisibleIds: null,
      now: NOW,
    } as const
    return collectPresences(both.board, query, String).members
  }

  const before = ask()
  both.report(1, NOW)
  const after = ask()

  assert.equal(before.length, 6)
  assert.equal(after.length, 7)
  assert.deepEqual(
    after.map((members, at) => members === before[at]),
    [false, true, true, true, true, true, false],
  )
})
