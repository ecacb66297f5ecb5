import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'
import { sendDirect, sendToChannel } from '../../../test/messages.ts'
import { openTestStorage, sharedDatabaseUrl } from '../../../test/storage.ts'
import { insertRows } from '../../platform/storage/insert-rows.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import { saveRendering } from '../editing/edit-rows.ts'
import { indexNextBatch, updateSearchIndex } from './update-search-index.ts'

async function startTalk(options: Parameters<typeof startChat>[0] = {}) {
  const chat = await startChat(options)
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  return { chat, ada, ben, design }
}

async function found(person: Person, text: string): Promise<number[]> {
  const range = { anchor: 'newest', num_before: 1000, num_after: 0 }
  const page = await person.succeed('GET /messages', { ...range, narrow: [['search', text]] })
  return page['messages'].map((message: { id: number }) => message.id)
}

/** The ids of the messages whose words are in the index. */
async function takenIn({ app }: Chat): Promise<number[]> {
  const rows = await app.services.db.selectFrom('messageWords').select('rowid').orderBy('rowid').execute()
  return rows.map(({ rowid }) => rowid)
}

/** Resolves at the next commit that writes the index. */
const nextTakingIn = ({ app }: Chat) =>
  new Promise<void>((resolve) => app.storage.onCommit(({ written }) => written.has('messageWords') && resolve()))

test('sending writes no words; whoever searches finds what was sent all the same', async () => {
  const { chat, ada, ben, design } = await startTalk()
  const ids = [await sendToChannel(ada, design, 'apples'), await sendDirect(ada, [ben], 'more apples')]
  assert.deepEqual(await takenIn(chat), [])

  assert.deepEqual(await found(ben, 'apples'), ids)

  assert.deepEqual(await takenIn(chat), ids)
  const third = await sendToChannel(ada, design, 'apples again')
  assert.deepEqual(await found(ben, 'apples'), [...ids, third])
})

test('what matches a narrow, and what flags are set on by one, is found at once', async () => {
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

test('a message that was edited, moved or deleted before the index took it in is found by what it is now', async () => {
  const { chat, ada, ben, design } = await startTalk()
  const edited = await sendToChannel(ada, design, 'apples')
  const moved = await sendToChannel(ada, design, 'apples', 'fruit')
  const deleted = await sendToChannel(ada, design, 'apples')
  const later = await sendToChannel(ada, design, 'nothing')

  await ada.succeed(`PATCH /messages/${edited}`, { content: 'plums' })
  await ada.succeed(`PATCH /messages/${moved}`, { topic: 'garden', send_notification_to_new_thread: false })
  await ada.succeed(`DELETE /messages/${deleted}`)

  assert.deepEqual(await found(ben, 'apples'), [moved])
  assert.deepEqual(await found(ben, 'plums'), [edited])
  assert.deepEqual(await found(ben, 'fruit'), [])
  assert.deepEqual(await found(ben, 'garden'), [moved])
  await ada.succeed(`PATCH /messages/${edited}`, { content: 'pears' })
  assert.deepEqual([await found(ben, 'plums'), await found(ben, 'pears')], [[], [edited]])
  assert.equal((await takenIn(chat)).includes(deleted), false)
  assert.equal((await takenIn(chat)).includes(later), true)
})

test('the index takes in what was said although nobody searches, some seconds later', async () => {
  const { chat, ada, design } = await startTalk()
  const ids = [await sendToChannel(ada, design), await sendToChannel(ada, design)]

  await chat.clock.advance(9)
  assert.deepEqual(await takenIn(chat), [])
  await chat.clock.advance(1)
  assert.deepEqual(await takenIn(chat), ids)
})

test('when many messages wait, the index takes them in at once', async () => {
  const { chat, ada, ben } = await startTalk()
  const taken = nextTakingIn(chat)

  for (let number = 1; number <= 100; number++) await sendDirect(ada, [ben], `number ${number}`)
  await taken

  assert.equal((await takenIn(chat)).length, 100)
})

test('what waited when the server ended is found after the next start, and taken in by itself', async () => {
  const url = await sharedDatabaseUrl()
  const before = await startTalk({ settings: { DATABASE_URL: url } })
  const id = await sendToChannel(before.ada, before.design, 'apples')
  await before.chat.app.close()
  await using storage = await openTestStorage({ url, serve: false })
  assert.deepEqual(await storage.db.selectFrom('messageWords').select('rowid').execute(), [])

  await updateSearchIndex(storage)

  assert.deepEqual(await storage.db.selectFrom('messageWords').select('rowid').execute(), [{ rowid: id }])
})

/** Saves so many messages as an import does, all in one transaction. */
function saveMany(tx: Transaction, senderId: number, first: number, count: number): void {
  const rest = {
    topic: '',
    topicKey: '',
    content: '',
    renderedVersion: 1_000_000,
    client: 'test',
    realmId: 1,
    holdings: 0,
  }
  const rows = Array.from({ length: count }, (_, at) => ({
    ...rest,
    id: first + at,
    senderId,
    sentAt: tx.now,
    renderedContent: `<p>import ${at}</p>`,
  }))
  insertRows(tx, 'messages', rows)
}

test('however many wait, all of them are taken in, and no transaction takes in more than some', async () => {
  const { chat, ada } = await startTalk()
  const { db, transaction } = chat.app.services
  await transaction(async (tx) => saveMany(tx, ada.id, 1, 1050))
  const written: number[] = []
  chat.app.storage.onCommit((commit) => {
    if (commit.written.has('messageWords')) written.push(1)
  })

  await Promise.all(Array.from({ length: 4 }, () => updateSearchIndex({ db, transaction })))

  assert.equal((await takenIn(chat)).length, 1050)
  assert.equal(written.length, 6)
})

test('a search takes in a thousand of the messages that wait, and the background the others', async () => {
  const { chat, ada, ben, design } = await startTalk()
  const first = await sendToChannel(ada, design, 'apples')
  await chat.app.services.transaction(async (tx) => saveMany(tx, ada.id, first + 1, 1100))

  assert.deepEqual(await found(ben, 'apples'), [first])

  assert.equal((await takenIn(chat)).length, 1000)
  await chat.clock.advance(10)
  assert.equal((await takenIn(chat)).length, 1101)
})

test('words are taken in once and completely, whoever does it, while people send and delete', async () => {
  const url = await sharedDatabaseUrl()
  const { chat, ada, ben, design } = await startTalk({ settings: { DATABASE_URL: url } })
  await using other = await openTestStorage({ url, serve: false })
  const here = chat.app.services
  const kept: number[] = []

  const talkers = [ada, ben].map(async (person) => {
    for (let turn = 0; turn < 15; turn++) {
      const id = await sendToChannel(person, design, `apples ${turn}`)
      if (turn % 3 === 0) await person.succeed(`DELETE /messages/${id}`)
      else kept.push(id)
      if (turn % 3 === 1) await person.succeed(`PATCH /messages/${id}`, { content: `apples of ${turn}` })
    }
  })
  const takers = [here, other, here, other].map(async (storage) => {
    for (let turn = 0; turn < 15; turn++) await updateSearchIndex(storage)
  })
  const finders = [ada, ben].map(async (person) => {
    for (let turn = 0; turn < 5; turn++) {
      const before = [...kept]
      const ids = new Set(await found(person, 'apples'))
      assert.deepEqual(
        before.filter((id) => !ids.has(id)),
        [],
      )
    }
  })
  await Promise.all([...talkers, ...takers, ...finders])

  assert.deepEqual(
    await found(ada, 'apples'),
    kept.sort((one, another) => one - another),
  )
  assert.deepEqual(await takenIn(chat), kept)
})

test('what is changed while its words are taken in is found by what it is then', async () => {
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

  assert.deepEqual([await found(ben, 'apples'), await found(ben, 'plums')], [[], [edited]])
})

test('what is being changed when its words are taken in is found by what it is then', async () => {
  const { chat, ada, ben, design } = await startTalk()
  const { db, transaction } = chat.app.services
  const [edited, deleted] = [await sendToChannel(ada, design, 'apples'), await sendToChannel(ada, design, 'apples')]
  const takings: Promise<unknown>[] = []

  await transaction(async (tx) => {
    await saveRendering(tx, { id: edited, topic: 'tea' }, '<p>plums</p>', false)
    await tx.deleteFrom('messages').where('id', '=', deleted).execute()
    takings.push(updateSearchIndex({ db, transaction }))
    await sleep(100)
  })
  await Promise.all(takings)

  assert.deepEqual([await found(ben, 'apples'), await found(ben, 'plums')], [[], [edited]])
  assert.deepEqual(await takenIn(chat), [edited])
})
