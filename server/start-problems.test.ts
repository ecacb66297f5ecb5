import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { chmod, mkdir, readdir, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { builtServer } from '../test/processes/built-server.ts'
import { runCommand } from '../test/processes/command.ts'
import { openTestStorage, temporaryFolder } from '../test/storage.ts'

/** The exit codes of failures that may go by themselves, and of those for which service managers need not try again. */
const [TEMPORARY, LASTING] = [1, 78]

/** A name that the system refuses without asking a name server, which may not answer. */
const NO_HOST = 'parley..invalid'

/** Starts a server that should fail to start, and returns its output. If it does start, it is stopped. */
async function startInVain(
  context: TestContext,
  settings: Record<string, string>,
  expected = LASTING,
): Promise<string> {
  const child = spawn(process.execPath, [await builtServer('server/main.ts')], {
    env: { ...process.env, PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  context.after(() => child.kill('SIGKILL'))
  child.stdout.once('data', () => child.kill('SIGTERM'))
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [code, complaint] = await Promise.all([exit, text(child.stderr)])
  assert.equal(code, expected, complaint)
  return complaint
}

test('the server prints its usage instead of starting with arguments', async () => {
  const script = await builtServer('server/main.ts')
  const run = (argument: string) => spawnSync(process.execPath, [script, argument], { encoding: 'utf8' })

  const help = run('--help')
  const wrong = run('--port=80')

  assert.deepEqual([help.status, help.stderr], [0, ''])
  assert.match(help.stdout, /^Usage: npm start\n/)
  assert.deepEqual([wrong.status, wrong.stdout], [2, ''])
  assert.match(wrong.stderr, /^Unknown arguments: --port=80\n\nUsage: npm start\n/)
})

test('a port that is in use, and an address of another machine, are reported in one line', async (context) => {
  const folder = await temporaryFolder()
  const other = createServer().listen(0, 'localhost')
  context.after(() => other.close())
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo

  const taken = await startInVain(context, { DATA_DIR: folder, PORT: `${port}` }, TEMPORARY)
  const away = 'postgres://parley@localhost:1/parley'
  const nowhere = await startInVain(context, { DATA_DIR: folder, DATABASE_URL: away }, TEMPORARY)
  const settingsFile = `${folder}/parley.env`
  await writeFile(settingsFile, `DATA_DIR=${folder}`)
  const takenByFile = await startInVain(context, { PARLEY_ENV_FILE: settingsFile, PORT: `${port}` }, TEMPORARY)
  const foreign = await startInVain(context, { DATA_DIR: folder, LISTEN_HOST: '192.0.2.1' }, TEMPORARY)
  const unknown = await startInVain(context, { DATA_DIR: folder, LISTEN_HOST: NO_HOST })

  assert.match(nowhere, /^Nothing listens at localhost, port 1\. Check that PostgreSQL runs, and the host and port/)
  assert.equal(taken, `Port ${port} is already in use. Choose another: PORT=9992 npm start\n`)
  assert.equal(takenByFile, `Port ${port} is already in use. Choose another: PORT=9992 in ${settingsFile}\n`)
  assert.match(
    foreign,
    /^Cannot listen on 192\.0\.2\.1, port 0: [^\n]*EADDRNOTAVAIL[^\n]* LISTEN_HOST must be [^\n]*\n$/,
  )
  assert.match(unknown, /^Cannot listen on parley\.\.invalid, port 0: [^\n]*ENOTFOUND[^\n]* LISTEN_HOST must be/)
})

test('an unusable folder or database is reported with the reason', async (context) => {
  const folder = await temporaryFolder()
  await writeFile(`${folder}/file`, '')
  await mkdir(`${folder}/directory`)
  await (await openTestStorage({ url: `${folder}/half.db` })).close()
  await truncate(`${folder}/half.db`, 200_000)
  await writeFile(`${folder}/notes.txt`, 'These are notes, and no database. '.repeat(100))

  const inFile = await startInVain(context, { DATA_DIR: `${folder}/file` })
  const isDirectory = await startInVain(context, { DATA_DIR: folder, DATABASE_URL: `${folder}/directory` }, TEMPORARY)
  const isHalf = await startInVain(context, { DATA_DIR: folder, DATABASE_URL: `${folder}/half.db` })
  const isText = await startInVain(context, { DATA_DIR: folder, DATABASE_URL: `${folder}/notes.txt` })

  assert.match(
    inFile,
    /^The database \S+ cannot be opened: the folder \S+\/file cannot be created \(EEXIST\)\. [^\n]+\n$/,
  )
  assert.match(isDirectory, /^The database \S+\/directory cannot be opened: [^\n]+\n$/)
  assert.match(isHalf, /^The database \S+\/half\.db cannot be opened: it is damaged, or was copied only in part\. Copy/)
  assert.match(isText, /^The database \S+\/notes\.txt cannot be opened: it is not a SQLite database\.\n$/)
})

const isRoot = process.getuid?.() === 0

test('files that this account may not write are reported', {
  skip: isRoot && 'root may write everywhere',
}, async (context) => {
  const folder = await temporaryFolder()
  await writeFile(`${folder}/parley.db`, '')
  await chmod(`${folder}/parley.db`, 0o400)
  await mkdir(`${folder}/closed`, 0o500)

  const inFolder = await startInVain(context, { DATA_DIR: folder, DATABASE_URL: `${folder}/closed/parley.db` })

  assert.match(inFolder, /^The database \S+\/closed\/parley\.db cannot be opened: [^\n]*may not write to it\.\n$/)
  assert.match(
    await startInVain(context, { DATA_DIR: folder }),
    /cannot be opened: the account \S+ may not use \S+\/parley\.db\. Run: chown -R [^\n]+\n$/,
  )
})

test('commands in another folder than the server create nothing', async () => {
  const folder = await temporaryFolder()

  const relative = await runCommand(['user', 'list'], { DATA_DIR: `${path.relative('.', folder)}/data` })
  const absolute = await runCommand(['setup-link'], { DATA_DIR: `${folder}/data` })
  const created = await runCommand(['migrate'], { DATA_DIR: `${folder}/new` })

  assert.equal(
    relative.complaint,
    `There is no data of a server in ${folder}/data: it has no parley.db. Run the command in the folder in which the ` +
      'server was started, or set DATA_DIR to the folder of its data. If there is no server yet, start it: npm start\n',
  )
  assert.match(
    absolute.complaint,
    /^There is no data of a server in \S+\/data: it has no parley\.db\. Check DATA_DIR\./,
  )
  assert.deepEqual([created.code, created.complaint], [0, `This creates a new database: ${folder}/new/parley.db\n`])
  assert.deepEqual(await readdir(folder), ['new'])
})

test('invalid settings are listed by the server and by commands', async (context) => {
  const wrong = { PORT: 'http', LOG_LEVEL: 'loud' }
  const both = /^Invalid settings:\n {2}PORT: [^\n]+\n {2}LOG_LEVEL: [^\n]+\n$/

  assert.match(await startInVain(context, wrong), both)
  assert.match((await runCommand(['setup-link'], wrong)).complaint, both)
})
