import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { onPostgres } from '../../../test/database.ts'
import { connectTo } from '../../../test/nodes/node-storage.ts'
import { builtServer } from '../../../test/processes/built-server.ts'
import { runCommand } from '../../../test/processes/command.ts'
import { sharedDatabaseUrl, temporaryFolder } from '../../../test/storage.ts'

const inFolder = (folder: string) => ({ DATABASE_URL: join(folder, 'parley.db'), DATA_DIR: folder })

/** Starts the server and stops it when its output matches `awaited`. Returns the output. */
async function start(context: TestContext, settings: Record<string, string>, awaited: RegExp): Promise<string> {
  const child = spawn(process.execPath, [await builtServer('server/main.ts')], {
    env: { ...process.env, PORT: '0', ...settings },
  })
  context.after(() => child.kill('SIGKILL'))
  const { promise, resolve: done } = Promise.withResolvers<void>()
  let output = ''
  const append = (text: Buffer) => {
    output += text
    if (awaited.test(output)) child.kill('SIGTERM')
  }
  child.stdout.on('data', append)
  child.stderr.on('data', append)
  child.on('close', () => done())
  await promise
  return output
}

test('a server without an organization prints a setup link at each start, and the command prints another', async (context) => {
  const folder = inFolder(await temporaryFolder())
  const link = /http:\/\/localhost:\d+\/new\/[\w-]{43}\/\n/

  const first = await start(context, folder, link)
  const second = await start(context, folder, link)
  const command = await runCommand(['setup-link'], folder)
  await runCommand(
    ['org', 'create', '--name', 'Example', '--owner-email', 'ada@example.com', '--owner-name', 'Ada'],
    folder,
  )
  const late = await runCommand(['setup-link'], folder)

  const links = [first, second, command.output].map((text) => link.exec(text)?.[0].split('/new/')[1])
  assert.equal(new Set(links).size, 3)
  assert.ok(links.every((one) => one !== undefined))
  assert.deepEqual([late.code, late.output], [1, ''])
  assert.match(late.complaint, /There is already an organization/)
  assert.match(await start(context, folder, /Parley listens/), /^Parley listens on \S+\n$/)
})

test('a server whose connection is lost while it issues the setup link keeps running, and prints the link later', {
  skip: !onPostgres && 'a connection is lost',
}, async (context) => {
  const [url, DATA_DIR] = [await sharedDatabaseUrl(), await temporaryFolder()]
  const settings = { DATABASE_URL: url, DATA_DIR }
  const link = /http:\/\/localhost:\d+\/new\/[\w-]{43}\/\n/
  await start(context, settings, link)
  await using sql = await connectTo(url)
  await using holder = await connectTo(url)
  await holder.query('begin')
  await holder.query('lock table "setupLinks" in share mode')
  const closeWaiting = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
    and wait_event_type = 'Lock' and query ~ 'setupLinks'`

  const output = start(context, settings, link)
  while ((await sql.query(closeWaiting)).rows.length === 0) await sleep(20)
  await holder.query('rollback')

  assert.match(await output, link)
})

test('systemd hears that the server is ready, and the output names the address behind a proxy', async (context) => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'systemd-notify'), `#!/bin/sh\necho "heard $@" >&2; exit 1\n`, { mode: 0o755 })
  const environment = {
    ...inFolder(folder),
    EXTERNAL_URL: 'https://chat.example.com',
    NOTIFY_SOCKET: '/run/systemd/notify',
    PATH: `${folder}:${process.env['PATH']}`,
  }

  const output = await start(context, environment, /heard --ready/)

  assert.match(output, /^Parley listens on localhost, port 0, for a proxy that serves https:\/\/chat\.example\.com$/m)
})

test('other system users cannot read the files of the server', async (context) => {
  const folder = await temporaryFolder()
  const modes = async () => {
    const names = await readdir(folder)
    return await Promise.all(names.map(async (name) => [name, (await stat(join(folder, name))).mode & 0o007]))
  }

  await start(context, inFolder(folder), /\/new\//)

  assert.deepEqual(Object.fromEntries(await modes()), {
    'parley.db': 0,
    'parley.db.lock': 0,
    'parley.db.reserve': 0,
    secret: 0,
  })
})

test('plain HTTP on a public address logs a warning', async (context) => {
  const folder = inFolder(await temporaryFolder())
  const warned = async (settings: Record<string, string>) =>
    /is plain http/.test(
      await start(context, { ...folder, ...settings }, /\/new\/[\w-]{43}\/\n.*\n.*\n(.*plain http)?/),
    )

  assert.equal(await warned({}), false)
  assert.equal(await warned({ EXTERNAL_URL: 'https://chat.example.com' }), false)
  assert.equal(await warned({ EXTERNAL_URL: 'http://chat.example.com' }), true)
  assert.equal(await warned({ LISTEN_HOST: '0.0.0.0' }), true)
})
