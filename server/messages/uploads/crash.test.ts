import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock, testClock } from '#lib/clock.ts'
import { namesIn } from '../../../test/files.ts'
import { createOrganizationIn, openAppIn, startKillableServer } from '../../../test/processes/killable-server.ts'
import { temporaryFolder } from '../../../test/storage.ts'

const UPLOADERS = 6
const ACKNOWLEDGED = 8
const SIZE = 300_000

/**
 * Returns the content of file `number`. All files have the same length and different content, which begins with the
 * number.
 */
const contentOf = (number: number) => Buffer.alloc(SIZE, `${number} `)

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

test('after a crash during uploads all acknowledged files are complete, and partial ones are neither served nor kept', async () => {
  const folder = await temporaryFolder()
  const authorization = await createOrganizationIn(folder)
  const before = await startKillableServer(folder)
  const acknowledged = new Map<string, number>()
  const enough = Promise.withResolvers<void>()
  let startedCount = 0
  const upload = async () => {
    const number = startedCount++
    const body = new FormData()
    body.append('file', new Blob([contentOf(number)]), `${number}.bin`)
    const response = await fetch(`${before.url}/api/v1/user_uploads`, {
      method: 'POST',
      headers: { authorization },
      body,
    })
    const { url } = (await response.json()) as { url: string }
    acknowledged.set(url, number)
    if (acknowledged.size >= ACKNOWLEDGED) enough.resolve()
  }
  const uploaders = Array.from({ length: UPLOADERS }, async () => {
    for (;;) await upload()
  })
  const ended = Promise.allSettled(uploaders)

  await enough.promise
  await before.kill()
  await ended
  const after = await startKillableServer(folder)
  const read = (path: string) => fetch(`${after.url}${path}`, { headers: { authorization } })
  const listed = (await (await read('/api/v1/attachments')).json()) as {
    attachments: { path_id: string; name: string }[]
  }
  const served = await Promise.all(
    listed.attachments.map(async ({ path_id, name }) => {
      const bytes = Buffer.from(await (await read(`/user_uploads/${path_id}`)).arrayBuffer())
      return {
        url: `/user_uploads/${path_id}`,
        isWhole: digest(bytes) === digest(contentOf(Number.parseInt(name, 10))),
      }
    }),
  )
  const known = new Set(listed.attachments.map(({ path_id }) => path_id.slice(0, path_id.lastIndexOf('/'))))
  const leftovers = (await namesIn(join(folder, 'uploads'))).filter((name) => !known.has(name))
  const refused = await Promise.all(leftovers.map(async (name) => (await read(`/user_uploads/${name}/0.bin`)).status))
  await after.kill()
  const clock = testClock(systemClock().now())
  const app = await openAppIn(folder, { clock })
  for (let sweep = 0; sweep < 2; sweep++) await clock.advance(86_400)
  await app.close()

  assert.ok(startedCount > acknowledged.size)
  assert.ok([...acknowledged.keys()].every((url) => served.some((file) => file.url === url)))
  assert.ok(served.every(({ isWhole }) => isWhole))
  assert.ok(refused.every((status) => status === 404))
  assert.deepEqual(new Set(await namesIn(join(folder, 'uploads'))), known)
})
