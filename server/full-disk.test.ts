import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createOrganizationIn, startKillableServer } from '../test/processes/killable-server.ts'
import { mountSmallDisk, type SmallDisk } from '../test/small-disk.ts'

/**
 * Mounts a disk of 8 MiB and creates an organization on it. Returns functions that start its server and send requests
 * as its owner. Skips the test and returns null if no disk can be mounted.
 */
async function startOnSmallDisk(context: TestContext) {
  const disk = await mountSmallDisk(8)
  if ('missing' in disk) {
    context.skip(disk.missing)
    return null
  }
  const authorization = await createOrganizationIn(disk.folder)
  const headers = { authorization }
  return {
    disk,
    start: () => startKillableServer(disk.folder, { LOG_LEVEL: 'silent' }),
    read: ({ url }: { url: string }) => fetch(`${url}/api/v1/users/me`, { headers }),
    write: ({ url }: { url: string }, name: string) =>
      fetch(`${url}/api/v1/users/me/subscriptions`, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ subscriptions: JSON.stringify([{ name, description: 'x'.repeat(500) }]) }),
      }),
  }
}

type Chat = NonNullable<Awaited<ReturnType<typeof startOnSmallDisk>>>

/** Starts a server on a full disk and checks it, then frees space and checks it again. */
async function checkStart({ start, read, write }: Chat, disk: SmallDisk): Promise<void> {
  const server = await start()

  // A small write may fit into preallocated space; repeated writes eventually fail.
  let refused = await write(server, 'first')
  for (let tries = 0; tries < 50 && refused.status === 200; tries += 1) refused = await write(server, `more ${tries}`)
  const [reading, health] = [await read(server), await fetch(`${server.url}/health`)]
  disk.empty()
  const saved = await write(server, 'last')
  await server.kill()

  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '60'])
  assert.deepEqual([reading.status, health.status], [200, 200])
  assert.equal(saved.status, 200)
}

test('a server that was killed on a full disk starts again, answers reads, and saves once there is space', async (context) => {
  const chat = await startOnSmallDisk(context)
  if (chat === null) return
  const killed = await chat.start()
  await chat.write(killed, 'before')
  await killed.kill()
  chat.disk.fill()

  await checkStart(chat, chat.disk)
})

test('a server that was stopped before the disk was full starts, answers reads, and saves once there is space', async (context) => {
  const chat = await startOnSmallDisk(context)
  if (chat === null) return
  // Without the lock file, there is no space to write the id of the process that holds the lock either.
  await rm(join(chat.disk.folder, 'parley.db.lock'))
  chat.disk.fill()

  await checkStart(chat, chat.disk)
})
