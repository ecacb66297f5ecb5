import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openLog } from '#lib/log.ts'
import { BotType, Role } from '#rules/role.ts'
import type { RunTransaction } from '#storage/storage.ts'
import { type TableName, tableNames } from '#storage/tables.ts'
import { refusalResponse } from '../../test/channels.ts'
import { sendFiles, storedFiles, upload } from '../../test/files.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { fetchMessage, sendDirect, sendToChannel } from '../../test/messages.ts'
import { smallPng } from '../../test/pictures.ts'
import { openErasureJob } from './erase-user.ts'
import { erasedTables, KEPT } from './erasing/personal-rows.ts'

const EVERYTHING = { delete_channel_messages: true, delete_direct_messages: true, delete_files: true }

/** Starts an organization in which everything about Zorblax contains this word, and others mention him. */
async function startWithZorblax() {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const [cleo, zorblax] = [await chat.user('cleo'), await chat.user('zorblax', { fullName: 'Zorblax Quint' })]
  const town = await chat.channel('town', [ada, cleo, zorblax])
  return { chat, ada, cleo, zorblax, town }
}

type Scene = Awaited<ReturnType<typeof startWithZorblax>>

async function liveAsZorblax({ chat, ada, cleo, zorblax, town }: Scene) {
  const file = await upload(chat, zorblax, { name: 'zorblax.txt', bytes: 'zorblax' })
  const own = await sendToChannel(zorblax, town, `zorblax was here [zorblax](${file})`)
  const direct = await sendDirect(zorblax, [ada], 'zorblax to ada')
  await sendDirect(zorblax, [zorblax], 'zorblax to himself')
  const received = await sendDirect(ada, [zorblax], 'from ada')
  const mention = await sendToChannel(
    ada,
    town,
    'hello @**Zorblax Quint** and @_**Zorblax Quint**, not `@**Zorblax Quint**`',
  )
  await ada.succeed(`PATCH /messages/${mention}`, { content: 'again @**Zorblax Quint**' })
  await sendToChannel(zorblax, town, 'I am @**Zorblax Quint**')
  await ada.succeed('POST /drafts', {
    drafts: [{ type: 'stream', to: [town.id], topic: 'x', content: 'a draft for @**Zorblax Quint**' }],
  })
  const later = { type: 'channel', to: town.id, topic: 'x', scheduled_delivery_timestamp: 4_000_000_000 }
  await ada.succeed('POST /scheduled_messages', { ...later, content: 'later @**Zorblax Quint**' })
  await zorblax.succeed('POST /scheduled_messages', { ...later, content: 'later zorblax' })
  await zorblax.succeed('POST /drafts', { drafts: [{ type: 'stream', to: [town.id], topic: 'x', content: 'zorblax' }] })
  await zorblax.succeed('POST /saved_snippets', { title: 'zorblax', content: 'zorblax' })
  await zorblax.succeed('POST /users/me/alert_words', { alert_words: ['zorblax'] })
  await zorblax.succeed('POST /users/me/status', { status_text: 'zorblax is out' })
  await zorblax.succeed('POST /user_topics', { stream_id: town.id, topic: 'zorblax', visibility_policy: 3 })
  const { id: field } = await ada.succeed('POST /realm/profile_fields', { name: 'Motto', field_type: 1 })
  await zorblax.succeed('PATCH /users/me/profile_data', { data: [{ id: field, value: 'zorblax forever' }] })
  await zorblax.succeed('PATCH /settings', { timezone: 'Europe/Paris', email_address_visibility: 1 })
  await zorblax.succeed('POST /users/me/presence', { status: 'active' })
  await sendFiles(chat, zorblax, '/users/me/avatar', { name: 'zorblax.png', bytes: smallPng })
  await ada.succeed(`PATCH /users/${zorblax.id}`, { new_email: 'zorblax2@example.com' })
  await zorblax.succeed('POST /users/me/data_export')
  await chat.app.jobs.dataExports.settled()
  await chat.mail()
  await cleo.succeed(`POST /users/me/muted_users/${zorblax.id}`)
  await ada.succeed(`PATCH /users/${zorblax.id}`, { full_name: 'Zorblax Quint II' })
  await ada.succeed(`PATCH /users/${zorblax.id}`, { full_name: 'Zorblax Quint' })
  return { own, direct, received, mention }
}

async function eraseZorblax({ chat, ada, zorblax }: Scene, choices: object = EVERYTHING): Promise<void> {
  await ada.succeed(`POST /users/${zorblax.id}/erasure`, { ...choices })
  await finishErasures(chat)
}

async function finishErasures(chat: Chat): Promise<void> {
  await chat.app.jobs.erasures.settled()
  await chat.clock.advance(601)
  await chat.app.jobs.erasures.settled()
}

/** Returns each row of the database, with its table, whose text contains the word. */
async function findWord({ app }: Chat, word: string): Promise<string[]> {
  const found: string[] = []
  for (const table of tableNames) {
    if (table === 'messageWords') continue
    const rows: object[] = await app.services.db.selectFrom(table).selectAll().execute()
    for (const row of rows)
      for (const [column, value] of Object.entries(row))
        if (String(value).toLowerCase().includes(word)) found.push(`${table}.${column}: ${String(value).slice(0, 80)}`)
  }
  return found
}

const searchFor = async (person: Person, word: string) =>
  (
    await person.succeed('GET /messages', {
      anchor: 'newest',
      num_before: 10,
      num_after: 0,
      narrow: [{ operator: 'search', operand: word }],
    })
  )['messages'].length

test('nothing in the database, the files and the search names an erased user', async () => {
  const scene = await startWithZorblax()
  const { chat, ada, zorblax } = scene
  const { mention, received } = await liveAsZorblax(scene)
  assert.equal(await searchFor(ada, 'zorblax'), 4)
  assert.notDeepEqual(await findWord(chat, 'zorblax'), [])

  await eraseZorblax(scene)

  assert.deepEqual(await findWord(chat, 'zorblax'), [])
  assert.equal(await searchFor(ada, 'zorblax'), 0)
  for (const folder of ['uploads', 'avatars', 'exports']) assert.deepEqual(await storedFiles(chat, folder), [])
  const name = `Deleted user ${zorblax.id}`
  const { content } = await fetchMessage(ada, mention)
  assert.match(content, new RegExp(`data-user-id="${zorblax.id}">@${name}</span>`))
  assert.equal(await searchFor(ada, `again ${name}`), 1)
  assert.match((await fetchMessage(ada, received)).content, /from ada/)
  const person = (await ada.succeed(`GET /users/${zorblax.id}`))['user']
  assert.partialDeepStrictEqual(person, { full_name: name, is_active: false, timezone: '' })
  assert.equal((await zorblax.call('GET /users/me')).status, 401)
  const { erasure } = await ada.succeed(`GET /users/${zorblax.id}/erasure`)
  assert.notEqual(erasure.finished_at, null)
  await chat.user('again', { email: zorblax.email })
})

test('the messages and files of an erased user stay under the pseudonym unless they are deleted', async () => {
  const scene = await startWithZorblax()
  const { chat, ada, zorblax } = scene
  const { own, direct } = await liveAsZorblax(scene)

  await eraseZorblax(scene, {})

  for (const id of [own, direct]) {
    const message = await fetchMessage(ada, id)
    assert.equal(message.sender_full_name, `Deleted user ${zorblax.id}`)
    assert.match(message.content, /zorblax/)
  }
  assert.equal((await storedFiles(chat, 'uploads')).length, 1)
  assert.deepEqual(
    (await findWord(chat, 'zorblax')).filter((found) => !/^(messages|attachments)\./.test(found)),
    [],
  )
  assert.deepEqual(await findWord(chat, 'to himself'), [])
})

test('clients hear of an erasure, and those that missed it load everything anew', async () => {
  const scene = await startWithZorblax()
  const { chat, ada, cleo, zorblax } = scene
  const { own, mention } = await liveAsZorblax(scene)
  const register = async (person: Person) => await person.succeed('POST /register', {})
  const [live, away] = [await register(ada), await register(cleo)]

  await ada.succeed(`POST /users/${zorblax.id}/erasure`, EVERYTHING)
  await chat.app.jobs.erasures.settled()
  const { queue_id } = live
  const { events } = await ada.succeed('GET /events', {
    queue_id,
    last_event_id: live['last_event_id'],
    dont_block: true,
  })
  const poll = () => ada.call('GET /events', { queue_id, last_event_id: events.at(-1).id, dont_block: true })
  await poll()
  await chat.clock.advance(300)
  await poll()
  await chat.clock.advance(301)
  await chat.app.jobs.erasures.settled()

  const people = events.filter(({ type }: { type: string }) => type === 'realm_user')
  for (const person of [
    { user_id: zorblax.id, is_active: false },
    { user_id: zorblax.id, full_name: `Deleted user ${zorblax.id}` },
    { user_id: zorblax.id, custom_profile_field: { value: null } },
    { user_id: zorblax.id, timezone: '' },
  ])
    assert.ok(
      people.some((event: object) => partialMatch(event, { person })),
      JSON.stringify(person),
    )
  assert.ok(events.some((event: object) => partialMatch(event, { type: 'user_status', status_text: '' })))
  assert.ok(events.some((event: object) => partialMatch(event, { type: 'delete_message', message_id: own })))
  assert.ok(events.some((event: object) => partialMatch(event, { rendering_only: true, message_id: mention })))
  assert.equal((await poll()).status, 200)
  const behind = { queue_id: away['queue_id'], last_event_id: away['last_event_id'], dont_block: true }
  assert.equal((await cleo.call('GET /events', behind)).code, 'BAD_EVENT_QUEUE_ID')
})

function partialMatch(actual: object, expected: object): boolean {
  try {
    assert.partialDeepStrictEqual(actual, expected)
    return true
  } catch {
    return false
  }
}

test('an erasure that crashes anywhere continues where it was', async () => {
  const scene = await startWithZorblax()
  const { chat, ada, zorblax } = scene
  await liveAsZorblax(scene)
  const { clock } = chat
  const { db, transaction, files } = chat.app.services
  await chat.app.jobs.erasures.close()
  await ada.succeed(`POST /users/${zorblax.id}/erasure`, EVERYTHING)

  let crashes = 0
  for (let isDone = false; !isDone; ) {
    let left = 1
    // One batch is committed, and the process ends in the middle of the next one.
    const dying: RunTransaction = (work, options) =>
      transaction(async (tx) => {
        const result = await work(tx)
        if (left-- <= 0) throw new Error('The process ended')
        return result
      }, options)
    const job = openErasureJob({ db, transaction: dying, files, clock, log: openLog('silent') })
    await job.settled()
    isDone = job.history().failingSince === null
    if (!isDone) crashes += 1
    await job.close()
    await clock.advance(isDone ? 601 : 61)
  }
  const last = openErasureJob({ db, transaction, files, clock, log: openLog('silent') })
  await last.settled()
  await last.close()

  assert.ok(crashes > 5, String(crashes))
  assert.deepEqual(await findWord(chat, 'zorblax'), [])
})

test('only owners erase people, and never bots, themselves, the last owner or someone twice', async () => {
  const { chat, ada, cleo, zorblax } = await startWithZorblax()
  const admin = await chat.user('admin', { role: Role.administrator })
  const bot = await chat.user('robo', { botType: BotType.generic, owner: cleo })
  const erase = (actor: Person, target: Person) => actor.call(`POST /users/${target.id}/erasure`, EVERYTHING)

  assert.deepEqual(
    await erase(admin, zorblax),
    refusalResponse('Must be an organization owner', 'UNAUTHORIZED_PRINCIPAL'),
  )
  assert.equal((await admin.call(`GET /users/${zorblax.id}/erasure`)).code, 'UNAUTHORIZED_PRINCIPAL')
  assert.deepEqual(await erase(ada, bot), refusalResponse('No such user'))
  assert.deepEqual(await erase(ada, ada), refusalResponse('The only owner of an organization cannot be erased.'))
  await chat.user('olga', { role: Role.owner })
  assert.deepEqual(await erase(ada, ada), refusalResponse('Ask another owner to erase your account.'))
  assert.equal((await erase(ada, zorblax)).status, 200)
  assert.deepEqual(await erase(ada, zorblax), refusalResponse('The data of this user was erased.'))
  assert.deepEqual(
    await ada.call(`POST /users/${zorblax.id}/reactivate`),
    refusalResponse('The data of this user was erased.'),
  )
})

test('mentions of a namesake keep their name', async () => {
  const scene = await startWithZorblax()
  const { chat, ada, town, zorblax } = scene
  const namesake = await chat.user('namesake', { fullName: 'Zorblax Quint' })
  const id = await sendToChannel(ada, town, `@**Zorblax Quint|${namesake.id}** and @**Zorblax Quint|${zorblax.id}**`)

  await eraseZorblax(scene, {})

  const { content } = await fetchMessage(ada, id, { apply_markdown: false })
  assert.equal(content, `@**Zorblax Quint|${namesake.id}** and @**Deleted user ${zorblax.id}|${zorblax.id}**`)
})

test('every table with rows of users is either erased or kept on purpose', () => {
  const folder = new URL('../storage/tables/', import.meta.url)
  const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'))
  const ofUsers = [...sources.join('\n').matchAll(/^ {2}(\w+): \{([^}]*)\}/gm)]
    .filter(([, , columns]) => /\buserId: number/.test(columns ?? ''))
    .map(([, name]) => name as TableName)

  assert.ok(ofUsers.length > 20)
  assert.deepEqual(
    ofUsers.filter((name) => !erasedTables.includes(name) && !KEPT.includes(name)),
    [],
  )
})
