import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { BotType } from '#rules/role.ts'
import { type Chat, startChat } from '../../../test/harness.ts'
import { findScripts } from './scripts.ts'

// The scripts of the pages, as they are written there, with real programs and a server that listens.

const run = promisify(execFile)

/** Returns the reason to skip a test that needs these programs; false if they are there. */
function lacks(...programs: string[]): string | false {
  const missing = programs.filter((program) => spawnSync(program, ['--version']).error !== undefined)
  return missing.length > 0 && `needs ${missing.join(' and ')}`
}

/** Returns the code of a page in this language. */
function codeOf(name: string, language: string, at = 0): string {
  const { steps } = findScripts().find((one) => one.name === name) ?? assert.fail(name)
  const blocks = [...steps.join('\n\n').matchAll(/^(`{3,}) ?(\S*)\n([\s\S]*?)\n\1$/gm)]
  return blocks.filter(([, , named]) => named === language)[at]?.[3] ?? assert.fail(`${name} has no ${language}`)
}

/** Starts a server with the channels that the pages name, and a home folder with the key of a bot. */
async function startHome(context: TestContext, channels: readonly string[]) {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const bot = await chat.user('hook-bot', { botType: BotType.incomingWebhook, owner: ada })
  for (const name of channels) await chat.channel(name, [ada])
  const { port } = await chat.app.http.listen({ host: '127.0.0.1', port: 0 })
  const home = await mkdtemp(join(tmpdir(), 'parley-scripts-'))
  context.after(() => rm(home, { recursive: true }))
  const api = `http://127.0.0.1:${port}/api/v1/messages`
  // The name of the organization is not that of the listening socket.
  await writeFile(
    join(home, '.parley-bot'),
    `url = "${api}"\nuser = "${bot.email}:${bot.apiKey}"\nheader = "Host: parley.test"\n`,
  )
  const env = { ...process.env, HOME: home, USER: 'ada', PARLEY_BOT_FILE: join(home, '.parley-bot') }
  return { chat, home, env, api, bot }
}

async function posted({ app }: Chat) {
  const rows = await app.services.db.selectFrom('messages').select(['topic', 'content']).orderBy('id').execute()
  return rows.map(({ topic, content }) => [topic, content])
}

async function writeScript(path: string, code: string): Promise<string> {
  await writeFile(path, code)
  await chmod(path, 0o755)
  return path
}

test('a shell script posts a text, and the output of a command', { skip: lacks('curl') }, async (context) => {
  const { chat, env } = await startHome(context, ['general'])

  await run('sh', ['-c', codeOf('shell', 'sh')], { env })
  await run('sh', ['-c', codeOf('shell', 'sh', 1)], { env })

  const [text, output] = await posted(chat)
  assert.deepEqual(text, ['backups', 'The backup is **done**.'])
  assert.match(output?.[1] ?? '', /^```\nFilesystem[\s\S]*\n```$/)
})

test('the hook of a Git server posts pushes to new and old branches, and none that delete one', {
  skip: lacks('curl', 'git'),
}, async (context) => {
  const { chat, env, home } = await startHome(context, ['commits'])
  const work = join(home, 'work')
  const gitEnv = { ...env, GIT_CONFIG_NOSYSTEM: '1' }
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd: work, env: gitEnv })
  await run('git', ['init', '--bare', '--quiet', join(home, 'atlas.git')], { env: gitEnv })
  await writeScript(join(home, 'atlas.git/hooks/post-receive'), codeOf('git', 'sh'))
  await mkdir(work)
  await git('init', '--quiet', '--initial-branch=main')
  await git('commit', '--quiet', '--allow-empty', '--message', 'Draw @**all** `maps`')
  await git('push', '--quiet', '../atlas.git', 'main')
  await git('commit', '--quiet', '--allow-empty', '--message', 'Fix gaps')
  await git('push', '--quiet', '../atlas.git', 'main', 'main:other')
  await git('push', '--quiet', '../atlas.git', ':other')

  const messages = await posted(chat)

  assert.equal(messages.length, 3)
  assert.equal(messages[0]?.[0], 'atlas / main')
  assert.match(
    messages[0]?.[1] ?? '',
    /^\*\*ada\*\* pushed to main:\n```\n[0-9a-f]{7,} Ada: Draw @\*\*all\*\* `maps`\n```$/,
  )
  assert.match(messages[1]?.[1] ?? '', /```\n[0-9a-f]{7,} Ada: Fix gaps\n```$/)
})

test('Nagios posts problems and recoveries', { skip: lacks('curl') }, async (context) => {
  const { chat, env, home } = await startHome(context, ['alerts'])
  const script = await writeScript(join(home, 'nagios-to-parley'), codeOf('nagios', 'sh'))

  await run(script, ['PROBLEM', 'db-1', 'Disk', 'CRITICAL', 'DISK CRITICAL - `93 %` used'], { env })
  await run(script, ['RECOVERY', 'db-1', 'host', 'UP', 'PING OK'], { env })

  assert.deepEqual(await posted(chat), [
    ['db-1', ":siren: **PROBLEM**: Disk is **CRITICAL**: `DISK CRITICAL - '93 %' used`"],
    ['db-1', ':check: **RECOVERY**: host is **UP**: `PING OK`'],
  ])
})

const entry = (id: number) =>
  `<item><title>Entry ${id} @**all** [x]</title><link>https://example.com/${id}</link><guid>${id}</guid></item>`
const rss = (...ids: number[]) =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>News &amp; more</title>${ids.map(entry).join('')}</channel></rss>`
const atom = `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Atom</title>
<entry><title>One</title><id>one</id><link rel="self" href="https://example.com/self"/><link href="https://example.com/one"/></entry></feed>`

test('new entries of RSS and Atom feeds are posted once, the oldest first', {
  skip: lacks('curl', 'python3'),
}, async (context) => {
  const { chat, env, home } = await startHome(context, ['news'])
  const script = await writeScript(join(home, 'rss-to-parley.py'), codeOf('rss', 'python'))
  let feed = rss(1)
  const server = createServer((_, response) => response.end(feed)).listen(0, '127.0.0.1')
  context.after(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const poll = (address: string) => run('python3', [script, 'news', address], { env })

  await poll(url)
  assert.deepEqual(await posted(chat), [])
  feed = rss(3, 2, 1)
  await poll(url)
  await poll(url)
  feed = '<feed xmlns="http://www.w3.org/2005/Atom"><title>Atom</title></feed>'
  await poll(`${url}atom`)
  feed = atom
  await poll(`${url}atom`)

  feed = rss(4, 3, 2, 1).replace('https://example.com/4', 'http://x) @**all**')
  await poll(url)

  assert.deepEqual(await posted(chat), [
    ['News & more', '[Entry 2    all    x](https://example.com/2)'],
    ['News & more', '[Entry 3    all    x](https://example.com/3)'],
    ['Atom', '[One](https://example.com/one)'],
    ['News & more', `[Entry 4    all    x](${url})`],
  ])
})

test('the script of Google Calendar posts each event once before it begins', async (context) => {
  const { chat, api, bot } = await startHome(context, ['team'])
  const properties = new Map([['PARLEY_BOT', `${bot.email}:${bot.apiKey}`]])
  const requests: [string, { headers: Record<string, string>; payload: Record<string, string> }][] = []
  const soon = new Date(Date.now() + 300_000)
  const event = (id: string, start: Date) => ({
    getId: () => id,
    getStartTime: () => start,
    getTitle: () => `Tea ${id}** @**all`,
  })
  const world = {
    PropertiesService: {
      getScriptProperties: () => ({
        getProperty: (name: string) => properties.get(name) ?? null,
        setProperty: (name: string, value: string) => properties.set(name, value),
      }),
    },
    CalendarApp: { getDefaultCalendar: () => ({ getEvents: () => [event('1', soon), event('2', new Date(0))] }) },
    UrlFetchApp: { fetch: (...request: (typeof requests)[number]) => requests.push(request) },
    Utilities: { base64Encode: (text: string) => Buffer.from(text).toString('base64') },
  }

  const code = codeOf('google-calendar', 'javascript').replace('https://chat.example.com/api/v1/messages', api)
  runInNewContext(`${code}\nremind()\nremind()`, world)
  for (const [url, { headers, payload }] of requests) {
    const path = new URL(url).pathname
    const form = { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' }
    const given = { authorization: headers['Authorization'] ?? '' }
    await chat.request({
      method: 'POST',
      path,
      headers: { ...form, ...given },
      body: new URLSearchParams(payload).toString(),
    })
  }

  assert.deepEqual(await posted(chat), [['calendar', `**Tea 1      all** begins at <time:${soon.toISOString()}>.`]])
})
