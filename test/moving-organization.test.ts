import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import { systemClock } from '#lib/clock.ts'
import { ensureSystemBots } from '#people/bots.ts'
import type { Storage } from '#storage/storage.ts'
import { moveOrganization } from '#transfer/move-organization.ts'
import { wakingTables } from '../server/jobs.ts'
import { readTables } from '../server/transfer/moving/tables.ts'
import { onPostgres, ownDatabaseUrl } from './database.ts'
import { type Body, type Person, startChat } from './harness.ts'
import { openTestStorage } from './storage.ts'

const skip = !onPostgres && 'needs PostgreSQL'

/** A message as its sender knows it. */
type Known = { content: string; isStarred: boolean; reactions: number; isDeleted: boolean }

const rowsOf = async <Row>({ db }: Storage, statement: string, ...values: unknown[]) =>
  (await db.executeQuery<Row>(CompiledQuery.raw(statement, values))).rows

test('an organization moves while its members and others write: nothing acknowledged is lost, and nothing refused is saved', {
  skip,
}, async () => {
  const url = (await ownDatabaseUrl()) as string
  const chat = await startChat({ settings: { DATABASE_URL: url, DATABASE_CONNECTIONS: 8 } })
  const realm = await chat.organization('acme')
  const people = await Promise.all(['ann', 'bob', 'cai'].map((name) => chat.user(name, { realm })))
  await chat.channel('design', people, { realm })
  const other = await chat.user('zoe')
  await chat.channel('general', [other])
  await using source = await openTestStorage({ url, serve: false, isMaintenance: true })
  await using to = await openTestStorage({ url: (await ownDatabaseUrl()) as string, serve: false, isMaintenance: true })
  await to.transaction(ensureSystemBots)
  await rowsOf(to, `select setval(format('%I', sequencename), 1000000) from pg_sequences where schemaname = 'public'`)

  const known = new Map<number, Known>()
  const refused: string[] = []
  let isRunning = true
  const send = async (person: Person, content: string): Promise<Body> => {
    const form = { type: 'channel', to: ['design'], topic: 'tea', content }
    return person.call('POST /messages', form)
  }

  /** Sends messages and changes some of them until the organization is gone, one request after another. */
  async function write(person: Person, name: string): Promise<void> {
    for (let number = 0; isRunning; number += 1) {
      const content = `${name} ${number}`
      const sent = await send(person, content)
      if (sent.status !== 200) {
        refused.push(content)
        continue
      }
      const state = { content, isStarred: false, reactions: 0, isDeleted: false }
      known.set(sent['id'], state)
      const path = `/messages/${sent['id']}`
      const changed = `${content} changed`
      const edited = await person.call(`PATCH ${path}`, { content: changed })
      if (edited.status === 200) state.content = changed
      else refused.push(changed)
      const flags = { messages: [sent['id']], op: 'add', flag: 'starred' }
      if ((await person.call('POST /messages/flags', flags)).status === 200) state.isStarred = true
      if ((await person.call(`POST ${path}/reactions`, { emoji_name: 'tada' })).status === 200) state.reactions = 1
      if (number % 3 === 0 && (await person.call(`DELETE ${path}`)).status === 200) state.isDeleted = true
    }
  }

  const others: Body[] = []
  async function writeElsewhere(): Promise<void> {
    for (let number = 0; isRunning; number += 1)
      others.push(
        await other.call('POST /messages', { type: 'channel', to: ['general'], topic: 'x', content: `${number}` }),
      )
  }

  const [ann] = people as [Person, ...Person[]]
  const presence = { status: 'active', new_user_input: true, ping_only: false }
  const writing = [...people.map((person, at) => write(person, `writer${at}`)), writeElsewhere()]
  let inPause: Body[] = []
  let caughtUp = 0
  let isCopied = false
  /** The first snapshot, which is copied, lasts until members have written much that it lacks. */
  const transaction: Storage['transaction'] = async (work, options) => {
    const result = await source.transaction(work, options)
    if (options?.isSnapshot !== true || isCopied) return result
    isCopied = true
    for (const target = known.size + 12; known.size < target; ) await setImmediate()
    return result
  }
  const from: Storage = Object.assign(Object.create(source), { transaction })
  await moveOrganization({
    ...{ from, to, realmId: realm.id, clock: systemClock(), signal: new AbortController().signal },
    onProgress({ step, rows }) {
      if (step === 'catching up') caughtUp = rows
    },
    pause: async () => {},
    async switchOver() {
      const before = others.length
      inPause = [await send(ann, 'in the pause'), await ann.call('GET /users/me')]
      await ann.call('POST /users/me/presence', presence)
      await other.succeed('POST /users/me/presence', presence)
      while (others.length < before + 3) await other.succeed('GET /users/me')
      await chat.clock.advance(2)
      isRunning = false
      await Promise.all(writing)
    },
    resume: async () => {},
  })

  const messages = await rowsOf<{ id: number; content: string; starred: number; reactions: number }>(
    to,
    `select "id", "content",
       (select count(*) from "userMessages" where "messageId" = "id" and "userId" = "senderId" and ("flags" & 2) <> 0) as "starred",
       (select count(*) from "reactions" where "messageId" = messages."id") as "reactions"
     from "messages" where "realmId" = $1`,
    realm.id,
  )
  const found = new Map(messages.map((row) => [row.id, row]))
  assert.ok(known.size > 10 && caughtUp > 0)
  assert.deepEqual(
    inPause.map(({ status }) => status),
    [503, 200],
  )
  for (const [id, { content, isStarred, reactions, isDeleted }] of known) {
    const row = found.get(id)
    if (isDeleted) assert.equal(row, undefined, `message ${id} is deleted`)
    else assert.deepEqual({ ...row }, { id, content, starred: isStarred ? 1 : 0, reactions })
  }
  assert.equal(found.size, [...known.values()].filter(({ isDeleted }) => !isDeleted).length)
  const contents = new Set(messages.map(({ content }) => content))
  assert.deepEqual(
    refused.filter((content) => contents.has(content)),
    [],
  )
  assert.deepEqual(
    others.filter(({ status }) => status !== 200),
    [],
  )
  const presences = await rowsOf<{ userId: number }>(
    from,
    'select "userId" from "presences" where "realmId" <> $1',
    realm.id,
  )
  assert.deepEqual(
    presences.map(({ userId }) => userId),
    [other.id],
  )
  const words = await rowsOf<{ count: number }>(
    to,
    `select count(*) as "count" from "messageWords" join "messages" on "rowid" = "id" where "realmId" = $1`,
    realm.id,
  )
  const days = await rowsOf<{ messages: number }>(
    to,
    'select "messages" from "messageDays" where "realmId" = $1',
    realm.id,
  )
  assert.equal(words[0]?.count, found.size)
  assert.equal(days[0]?.messages, found.size)
})

test('no job finds work in an organization that is still being copied', { skip }, async () => {
  await using storage = await openTestStorage({ url: (await ownDatabaseUrl()) as string, serve: false })
  const tables = await readTables(storage.db)
  const acting = tables.filter(({ turn, acting }) => turn === 'first' && acting.length === 0).map(({ name }) => name)

  assert.deepEqual(
    wakingTables.filter((name) => acting.includes(name)),
    [],
  )
})
