import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveUserFields, saveUserSettings } from '#people/user-queries.ts'
import type { EmittedOfType } from '#storage/storage.ts'
import { fc } from '../../test/fast-check.ts'
import { type Body, type Chat, type Person, START, startChat } from '../../test/harness.ts'
import { recordEvents } from '../../test/recorded-events.ts'

const REPORT = 'POST /users/me/presence'
const DAY = 86_400

type Row = { active: number | null; connected: number; id: number }

type ModelUser = {
  person: Person
  joinedAt: number
  isActive: boolean
  isSharing: boolean
  row: Row | null
}

type Poll = { lastUpdateId: number | undefined; days: number | undefined; isPing: boolean; isSlim: boolean }

/** A model of the rules in the specification, with the state that they need. */
class Model {
  readonly people: ModelUser[]
  counter: number
  constructor(people: ModelUser[]) {
    this.people = people
    this.counter = people.filter(({ row }) => row !== null).length
  }

  /** Applies a report, and returns whether it raises an event. */
  report(user: ModelUser, status: string, now: number): boolean {
    if (!user.isSharing) return false
    const { row } = user
    if (row === null) {
      this.counter++
      user.row = { active: status === 'active' ? now : null, connected: now, id: this.counter }
      return true
    }
    const sinceActive = row.active === null ? DAY : now - row.active
    const after = { ...row }
    if (now - row.connected > 55) after.connected = now
    if (status === 'active' && sinceActive > 55) {
      after.active = now
      after.connected = Math.max(now, after.connected)
    }
    if (after.active !== row.active || after.connected !== row.connected) {
      this.counter++
      user.row = { ...after, id: this.counter }
    }
    return status === 'active' && sinceActive > 130
  }

  response(viewer: ModelUser, { lastUpdateId, days = 14, isPing, isSlim }: Poll, now: number): object {
    if (isPing) return { presence_last_update_id: lastUpdateId ?? -1 }
    const rows = this.people.flatMap((user) => {
      const { row } = user
      if (row === null || !user.isActive || (!user.isSharing && user !== viewer)) return []
      if (lastUpdateId !== undefined && row.id <= lastUpdateId) return []
      const isOld = days <= 0 || row.connected < now - days * DAY
      return (lastUpdateId ?? 0) <= 0 && isOld ? [] : [{ user, row }]
    })
    const isModern = isSlim || lastUpdateId !== undefined
    const entries = rows.map(({ user: { person, joinedAt }, row }) => {
      const active = row.active ?? joinedAt
      if (isModern) {
        return [person.id, { active_timestamp: Math.floor(active), idle_timestamp: Math.floor(row.connected) }]
      }
      const isThere = active + 70 >= row.connected
      const timestamp = Math.floor(isThere ? active : row.connected)
      const aggregated = { client: 'website', status: isThere ? 'active' : 'idle', timestamp }
      return [person.email, { aggregated, website: { ...aggregated, pushable: false } }]
    })
    return {
      presence_last_update_id: rows.length === 0 ? (lastUpdateId ?? -1) : Math.max(...rows.map(({ row }) => row.id)),
      server_timestamp: now,
      presences: Object.fromEntries(entries),
    }
  }
}

/**
 * Creates three users. `ages` contains, for each of them, the age of their stored row in seconds, or null for no row.
 */
async function start(chat: Chat, run: number, ages: readonly (number | null)[]): Promise<Model> {
  const realm = await chat.organization(`run-${run}`)
  const now = chat.clock.now()
  const people: ModelUser[] = []
  for (const [at, joinedAgo] of [30 * DAY, 40.25, 10 * DAY].entries()) {
    const joinedAt = now - joinedAgo
    const person = await chat.user(`p${at}`, { realm, joinedAt })
    const age = ages[at] ?? null
    const id = people.filter(({ row }) => row !== null).length + 1
    const row = age === null ? null : { active: at === 0 ? null : now - age, connected: now - age, id }
    people.push({ person, joinedAt, isActive: true, isSharing: true, row })
  }
  await chat.app.services.transaction(async (tx) => {
    for (const { person, row } of people) {
      if (row === null) continue
      const { active: lastActiveAt, connected: lastConnectedAt, id: updateId } = row
      const stored = { userId: person.id, realmId: realm.id, lastActiveAt, lastConnectedAt, updateId }
      await tx.insertInto('presences').values(stored).execute()
    }
    const ceiling = people.filter(({ row }) => row !== null).length
    await tx.insertInto('presenceCeilings').values({ realmId: realm.id, ceiling }).execute()
  })
  return new Model(people)
}

/** Returns a function that returns the ids of the users in the organization's events since its last call. */
function eventReader(chat: Chat): (realmId: number) => Promise<number[]> {
  const events = recordEvents(chat.app.storage)
  const seen = new Map<number, number>()
  return async (realmId) => {
    const userIds = (await events(realmId)).map(({ event }) => (event as EmittedOfType<'presence'>).user_id)
    const before = seen.get(realmId) ?? 0
    seen.set(realmId, userIds.length)
    return userIds.slice(before)
  }
}

const who = fc.nat({ max: 2 })
const waits = fc.constantFrom(0, 1, 55, 55.5, 56, 70, 71, 130, 131, 200)
const ages = fc.array(fc.constantFrom(null, 0, 60, DAY, 14 * DAY - 150, 14 * DAY, 15 * DAY, 500 * DAY), {
  maxLength: 3,
})
const poll = fc.record({
  lastUpdateId: fc.option(fc.integer({ min: -2, max: 8 }), { nil: undefined }),
  days: fc.option(fc.constantFrom(-1, 0, 1, 14, 400), { nil: undefined }),
  isPing: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
  isSlim: fc.boolean(),
})
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ who, status: fc.constantFrom('active', 'idle'), poll }) },
  { weight: 3, arbitrary: fc.record({ waits }) },
  { weight: 1, arbitrary: fc.record({ sharing: who }) },
  { weight: 1, arbitrary: fc.record({ leaving: who }) },
)

test('every response and every event follows the rules, after any sequence of reports', async () => {
  const chat = await startChat()
  const { transaction } = chat.app.services
  const newEvents = eventReader(chat)
  let runs = 0

  const property = fc.asyncProperty(ages, fc.array(step, { minLength: 5, maxLength: 30 }), async (ages, steps) => {
    runs++
    const model = await start(chat, runs, ages)
    for (const one of steps) {
      if ('waits' in one) await chat.clock.advance(one.waits)
      else if ('sharing' in one) {
        const user = model.people[one.sharing]!
        user.isSharing = !user.isSharing
        const settings = { presence_enabled: user.isSharing }
        await transaction((tx) => saveUserSettings(tx, user.person.id, settings))
      } else if ('leaving' in one) {
        const user = model.people[one.leaving]!
        user.isActive = !user.isActive
        const deactivatedAt = user.isActive ? null : START
        await transaction((tx) => saveUserFields(tx, user.person.id, { deactivatedAt }))
      } else if (model.people[one.who]!.isActive) {
        const viewer = model.people[one.who]!
        const now = chat.clock.now()
        const events = model.report(viewer, one.status, now) ? [viewer.person.id] : []
        const response: Body = await viewer.person.call(REPORT, {
          status: one.status,
          ping_only: one.poll.isPing,
          slim_presence: one.poll.isSlim,
          last_update_id: one.poll.lastUpdateId,
          history_limit_days: one.poll.days,
        })
        const expected = { status: 200, result: 'success', msg: '', ...model.response(viewer, one.poll, now) }
        assert.deepEqual(response, expected)
        assert.deepEqual(await newEvents(viewer.person.realm.id), events)
      }
    }
  })
  await fc.assert(property, { seed: 42, numRuns: 100 })
})
