import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { insertRows } from '#storage/sql.ts'
import type { Transaction } from '#storage/storage.ts'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'
import { sendDirect, sendToChannel } from '../../../test/messages.ts'
import { openTestStorage, sharedDatabaseUrl } from '../../../test/storage.ts'
import { saveRendering } from '../editing/edit-rows.ts'
import { indexNextBatch, updateSearchIndex } from '../search-index.ts'

async function startTalk(options: Parameters<typeof startChat>[0] = {}) {
  const chat = await startChat(options)
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  return { chat, ada, ben, design }
}

async function find(person: Person, text: string): Promise<number[]> {
  const range = { anchor: 'newest', num_before: 1000, num_after: 0 }
  const page = await person.succeed('GET /messages', { ...range, narrow: [['search', text]] })
  return page['messages'].map((message: { id: number }) => message.id)
}

async function indexedIds({ app }: Chat): Promise<number[]> {
  const rows = await app.services.db.selectFrom('messageWords').select('rowid').orderBy('rowid').execute()
  return rows.map(({ rowid }) => rowid)
}

/** Resolves at the next commit that writes the search index. */
const nextIndexing = ({ app }: Chat) =>
  new Promise<void>((resolve) => app.storage.onCommit(({ written }) => written.has('messageWords') && resolve()))

test('sending does not update the search index, but a search finds the new messages', async () => {
  const { chat, ada, ben, design } = await startTalk()
  const ids = [await sendToChannel(ada, design, 'apples'), await sendDirect(ada, [ben], 'more apples')]
  assert.deepEqual(await indexedIds(chat), [])

  assert.deepEqual(await find(ben, 'apples'), ids)

  assert.deepEqual(await indexedIds(chat), ids)
  const third = await sendToChannel(ada, design, 'apples again')
  assert.deepEqual(await find(ben, 'apples'), [...ids, third])
})

test('matches_narrow, flag updates in a narrow and message_ids see new messages at once', async () => {
  const { ada, ben, design } = await startTalk()
  const narrow = [['search', 'apples']]
  const first = await sendToChannel(ada, design, 'apples')

  const { messages } = await ben.succeed('GET /messages/matches_narrow', { msg_ids: [first], narrow })
  const second = await sendToChannel(ada, design, 'apples, too')
  const range = { anchor: 'newest', include_anchor: true, num_before: 9, num_after: 0 }
  const flagged = await ben.succeed('POST /messages/flags/narrow', { ...range, narrow, op: 'add', flag: 'starred' })
  const third = await sendToChannel(ada, design, 'apples and pears')
  const byIds = await ben.succeed('GET /messages', { message_ids: [first, third], narrow })

  assert.deepEqual(Object.keys(messages), [String(first)])
  assert.deepEqual([flagged['processed_count'], flagged['last_processed_id']], [2, second])
  assert.equal(byIds['messages'].length, 2)
})

test('a message that changed before it was indexed is found by its new text', async () => {
  const { chat, ada, ben, design } = await startTalk()
  const edited = await sendToChannel(ada, design, 'apples')
  const moved = await sendToChannel(ada, design, 'apples', 'fruit')
  const deleted = await sendToChannel(ada, design, 'apples')
  const later = await sendToChannel(ada, design, 'nothing')

  await ada.succeed(`PATCH /messages/${edited}`, { content: 'plums' })
  await ada.succeed(`PATCH /messages/${moved}`, { topic: 'garden', send_notification_to_new_thread: false })
  await ada.succeed(`DELETE /messages/${deleted}`)

  assert.deepEqual(await find(ben, 'apples'), [moved])
  assert.deepEqual(await find(ben, 'plums'), [edited])
  assert.deepEqual(await find(ben, 'fruit'), [])
  assert.deepEqual(await find(ben, 'garden'), [moved])
  await ada.succeed(`PATCH /messages/${edited}`, { content: 'pears' })
  assert.deepEqual([await find(ben, 'plums'), await find(ben, 'pears')], [[], [edited]])
  assert.equal((await indexedIds(chat)).includes(deleted), false)
  assert.equal((await indexedIds(chat)).includes(later), true)
})

test('messages are indexed after ten seconds without a search', async () => {
  const { chat, ada, design } = await startTalk()
  const ids = [await sendToChannel(ada, design), await sendToChannel(ada, design)]

  await chat.clock.advance(9)
  assert.deepEqual(await indexedIds(chat), [])
  await chat.clock.advance(1)
  assert.deepEqual(await indexedIds(chat), ids)
})

test('a large backlog is indexed at once', async () => {
  const { chat, ada, ben } = await startTalk()
  const indexed = nextIndexing(chat)

  for (let number = 1; number <= 100; number++) await sendDirect(ada, [ben], `number ${number}`)
  await indexed

  assert.equal((await indexedIds(chat)).length, 100)
})

test('messages that an older version indexed are indexed again in the background, in batches', async () => {
  const { chat, ada, ben, design } = await startTalk()
  for (let number = 1; number <= 250; number++) await sendToChannel(ada, design, `number ${number}`)
  await find(ben, 'number')
  const before = await indexedIds(chat)
  await chat.app.services.transaction(async (tx) => {
    await tx.deleteFrom('messageWords').where('rowid', 'in', before).execute()
    await tx.insertInto('counters').values({ name: 'words again', value: 0 }).execute()
  })

  const later = await sendToChannel(ada, design, 'later')
  await chat.clock.advance(10)
  const afterFirst = await indexedIds(chat)
  await chat.clock.advance(1)

  assert.deepEqual([before.length, afterFirst.length], [250, 201])
  assert.deepEqual(await indexedIds(chat), [...before, later])
  const counters = await chat.app.services.db.selectFrom('counters').select('name').execute()
  assert.equal(
    counters.some(({ name }) => name === 'words again'),
    false,
  )
})

test('the backlog of a stopped server can be indexed afterwards', async () => {
  const url = await sharedDatabaseUrl()
  const before = await startTalk({ settings: { DATABASE_URL: url } })
  const id = await sendToChannel(before.ada, before.design, 'apples')
  await before.chat.app.close()
  await using storage = await openTestStorage({ url, serve: false })
  assert.deepEqual(await storage.db.selectFrom('messageWords').select('rowid').execute(), [])

  await updateSearchIndex(storage)

  assert.deepEqual(await storage.db.selectFrom('messageWords').select('rowid').execute(), [{ rowid: id }])
})

/** Saves `count` messages in one transaction, as an import does. */
function saveMany(tx: Transaction, senderId: number, first: number, count: number): void {
  const fields = {
    topic: '',
    topicKey: '',
    content: '',
    renderedVersion: 1_000_000,
    client: 'test',
    realmId: 1,
    holdings: 0,
  }
  const rows = Array.from({ length: count }, (_, index) => ({
    ...fields,
    id: first + index,
    senderId,
    sentAt: tx.now,
    renderedContent: `<p>import ${index}</p>`,
  }))
  insertRows(tx, 'messages', rows)
}

test('a backlog of any size is indexed in batches of bounded size', async () => {
  const { chat, ada } = await startTalk()
  const { db, transaction } = chat.app.services
  await transaction(async (tx) => saveMany(tx, ada.id, 1, 1050))
  const written: number[] = []
  chat.app.storage.onCommit((commit) => {
    if (commit.written.has('messageWords')) written.push(1)
  })

  await Promise.all(Array.from({ length: 4 }, () => updateSearchIndex({ db, transaction })))

  assert.equal((await indexedIds(chat)).length, 1050)
  assert.equal(written.length, 6)
})

test('a search indexes at most a thousand messages, and the worker indexes the others', async () => {
  const { chat, ada, ben, design } = await startTalk()
  const first = await sendToChannel(ada, design, 'apples')
  await chat.app.services.transaction(async (tx) => saveMany(tx, ada.id, first + 1, 1100))

  assert.deepEqual(await find(ben, 'apples'), [first])

  assert.equal((await indexedIds(chat)).length, 1000)
  await chat.clock.advance(10)
  assert.equal((await indexedIds(chat)).length, 1101)
})

test('concurrent indexing by several processes is complete while messages are sent and deleted', async () => {
  const url = await sharedDatabaseUrl()
  const { chat, ada, ben, design } = await startTalk({ settings: { DATABASE_URL: url } })
  await using other = await openTestStorage({ url, serve: false })
  const local = chat.app.services
  const remaining: number[] = []

  const senders = [ada, ben].map(async (person) => {
    for (let turn = 0; turn < 15; turn++) {
      const id = await sendToChannel(person, design, `apples ${turn}`)
      if (turn % 3 === 0) await person.succeed(`DELETE /messages/${id}`)
      else remaining.push(id)
      if (turn % 3 === 1) await person.succeed(`PATCH /messages/${id}`, { content: `apples of ${turn}` })
    }
  })
  const indexers = [local, other, local, other].map(async (storage) => {
    for (let turn = 0; turn < 15; turn++) await updateSearchIndex(storage)
  })
  const searchers = [ada, ben].map(async (person) => {
    for (let turn = 0; turn < 5; turn++) {
      const before = [...remaining]
      const ids = new Set(await find(person, 'apples'))
      assert.deepEqual(
        before.filter((id) => !ids.has(id)),
        [],
      )
    }
  })
  await Promise.all([...senders, ...indexers, ...searchers])

  assert.deepEqual(
    await find(ada, 'apples'),
    remaining.sort((a, b) => a - b),
  )
  assert.deepEqual(await indexedIds(chat), remaining)
})

test('a message that is changed during indexing is found by its new text', async () => {
  const { chat, ada, ben, design } = await startTalk()
  const [edited, deleted] = [await sendToChannel(ada, design, 'apples'), await sendToChannel(ada, design, 'apples')]
  const changes: Promise<unknown>[] = []

  await chat.app.services.transaction(async (tx) => {
    await indexNextBatch(tx)
    changes.push(ada.succeed(`PATCH /messages/${edited}`, { content: 'plums' }))
    changes.push(ada.succeed(`DELETE /messages/${deleted}`))
    await sleep(100)
  })
  await Promise.all(changes)

  assert.deepEqual([await find(ben, 'apples'), await find(ben, 'plums')], [[], [edited]])
})

test('a message that is being changed when indexing starts is found by its new text', async () => {
  const { chat, ada, ben, design } = await startTalk()
  const { db, transaction } = chat.app.services
  const [edited, deleted] = [await sendToChannel(ada, design, 'apples'), await sendToChannel(ada, design, 'apples')]
  const indexings: Promise<unknown>[] = []

  await transaction(async (tx) => {
    await saveRendering(tx, { id: edited, topic: 'tea' }, '<p>plums</p>', false)
    await tx.deleteFrom('messages').where('id', '=', deleted).execute()
    indexings.push(updateSearchIndex({ db, transaction }))
    await sleep(100)
  })
  await Promise.all(indexings)

  assert.deepEqual([await find(ben, 'apples'), await find(ben, 'plums')], [[], [edited]])
  assert.deepEqual(await indexedIds(chat), [edited])
})
