import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testClock } from '#lib/clock.ts'
import { openStatus } from '#monitoring/status.ts'
import { openFileStore } from '#storage/files.ts'
import { type Chat, startChat } from '../harness.ts'
import { openTestStorage } from '../storage.ts'

const SMTP_URL = 'smtp://localhost:1'

async function read(chat: Chat): Promise<string> {
  await chat.app.status.check()
  const { status, body } = await chat.request({ method: 'GET', path: '/status' })
  assert.equal(status, 200)
  return body
}

test('the status page says what works, to anyone at any host, without scripts, versions or numbers', async () => {
  const chat = await startChat({ settings: { SMTP_URL } })

  const body = await read(chat)
  const head = await chat.request({ method: 'HEAD', path: '/status', headers: { host: 'elsewhere.example' } })

  assert.match(body, /<h1>Everything works<\/h1>/)
  for (const name of ['Reading messages', 'Sending messages', 'Uploaded files', 'Email'])
    assert.match(body, new RegExp(`<h2>${name}</h2>`))
  assert.doesNotMatch(body, /0\.1\.0|372|sqlite|postgres/i)
  assert.equal(head.status, 200)
  assert.match(String(head.headers['cache-control']), /public/)
})

test('the status page is there while the database and the files are away, and says since when', async () => {
  const files = openFileStore(null)
  await using storage = await openTestStorage()
  const away = await openTestStorage()
  await away.close()
  const clock = testClock(1_900_000_000)
  let isAway = true
  const parts = {
    storage: {
      db: {
        ...storage.db,
        selectFrom: ((table: 'installation') => (isAway ? away : storage).db.selectFrom(table)) as never,
      },
      isReady: () => (isAway ? away : storage).isReady(),
      isWritable: () => true,
    },
    files: {
      async findSize(name: string) {
        if (isAway) throw new Error('The store is away')
        return files.findSize(name)
      },
    },
    mail: { history: () => ({ failingSince: null }) as never },
  }
  const status = openStatus({ ...parts, settings: { SMTP_URL: '' }, clock })
  const body = async () => {
    await status.check()
    return String((await status.page({ method: 'GET', path: '/status' }))?.body)
  }

  const first = await body()
  await clock.advance(3600)
  const later = await body()
  isAway = false
  const back = await body()

  assert.match(first, /<h1>Some things do not work<\/h1>/)
  assert.equal(first.match(/Does not work/g)?.length, 3)
  // Without a relay, the server sends no emails.
  assert.doesNotMatch(first, /<h2>Email/)
  // The time is that of the first look that found it.
  assert.equal(later, first)
  assert.match(back, /<h1>Everything works/)
})
