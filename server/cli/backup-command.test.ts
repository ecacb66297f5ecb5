import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import pg from 'pg'
import { completeSettings, readSettings } from '#config.ts'
import { takeBackupLock, useDatabaseFile } from '#storage/copy.ts'
import { findSnapshots, openPlace } from '#transfer/backup-places.ts'
import { findBackupState } from '#transfer/backups.ts'
import { onPostgres } from '../../test/database.ts'
import { builtServer } from '../../test/processes/built-server.ts'
import { callServer, toAda } from '../../test/processes/call-server.ts'
import { runCommand } from '../../test/processes/command.ts'
import {
  createOrganizationIn,
  createOrganizationOf,
  type KillableServer,
  openAppIn,
  startKillableServer,
} from '../../test/processes/killable-server.ts'
import { isLong } from '../../test/size.ts'
import { mountSmallDisk } from '../../test/small-disk.ts'
import { sharedDatabaseUrl, temporaryFolder } from '../../test/storage.ts'
import { startVersitygw, versitygwAbsent } from '../../test/versitygw.ts'

async function upload({ url }: KillableServer, authorization: string, text: string): Promise<string> {
  const body = new FormData()
  body.append('file', new Blob([text]), 'notes.txt')
  const answer = await fetch(`${url}/api/v1/user_uploads`, { method: 'POST', headers: { authorization }, body })
  const { url: path } = (await answer.json()) as { url: string }
  return path
}

test('a backup of a running server contains everything acknowledged before, including files, and can be restored', async () => {
  const [folder, place] = [await temporaryFolder(), await temporaryFolder()]
  const settings = { DATABASE_URL: await sharedDatabaseUrl(), DATA_DIR: folder }
  const app = await openAppIn(folder, {}, settings)
  const [ada = ''] = await createOrganizationOf(app, ['ada'])
  await app.close()
  const server = await startKillableServer(folder, settings)
  const path = await upload(server, ada, 'the words of a file')
  const { id } = await callServer(server, ada, 'POST /messages', toAda(`said before, and [notes](${path})`))
  let isOver = false
  let lastId = 0
  const talking = (async () => {
    while (!isOver) lastId = (await callServer(server, ada, 'POST /messages', toAda('sent meanwhile')))['id']
  })()

  const made = await runCommand(['backup', `${place}/monday`], settings)
  const again = await runCommand(['backup', `${place}/monday`], settings)
  isOver = true
  await talking
  await server.kill()

  assert.deepEqual([made.code, made.complaint], [0, ''])
  assert.match(
    made.output,
    /^.*\/monday contains the database, \d+ MB, and 1 file, 1 MB\.\n\nAlso keep the file .*\/secret, in a different place/,
  )
  assert.deepEqual([again.code, again.complaint], [1, `${place}/monday already exists. Choose another name.\n`])
  assert.deepEqual((await readdir(`${place}/monday`)).sort(), [
    'manifest.json',
    'manifest.json.sha256',
    'parley.db',
    'uploads',
  ])

  const verified = await runCommand(['backup', 'verify', `${place}/monday`], settings)
  assert.deepEqual([verified.code, verified.complaint], [0, ''])
  assert.match(verified.output, /monday is intact: .*\nRead 1 file, \d+ MB in all, .*\nRestored the database/)

  const restoring = await runCommand(['backup', 'restore', `${place}/monday`, '--to', `${place}/restored`], settings)
  assert.deepEqual([restoring.code, restoring.complaint], [0, ''])
  assert.match(
    restoring.output,
    /^Restored the backup of .*: [\d,]+ rows and 1 file\.\n\nThe backup has no secret\. Copy/,
  )
  const restored = await startKillableServer(`${place}/restored`)
  const { id: next } = await callServer(restored, ada, 'POST /messages', toAda('sent after the restore'))
  assert.ok(next > lastId + 1_000_000, `${next} after ${lastId}`)
  const { message } = await callServer(restored, ada, `GET /messages/${id}`)
  const { url } = await callServer(restored, ada, `GET ${path}`)
  const file = await fetch(restored.url + url)
  const text = await file.text()
  await restored.kill()
  assert.match(message.content, /said before/)
  assert.equal(text, 'the words of a file')
})

test('a failed backup leaves nothing that looks like a backup', async () => {
  const folder = await temporaryFolder()
  const broken = `${folder}/broken.db`
  await writeFile(
    broken,
    'This was a database once, and is long enough to be taken for one by its size alone.'.repeat(20),
  )
  const back = (DATABASE_URL: string, to: string) => runCommand(['backup', to], { DATABASE_URL, DATA_DIR: folder })

  const absent = await back(`${folder}/mistyped.db`, `${folder}/a`)
  const damaged = await back(broken, `${folder}/b`)
  const inFile = await back(broken, `${broken}/d`)
  await mkdir(`${folder}/c.unfinished`)
  await writeFile(`${folder}/c.unfinished/notes`, '')
  await (await openAppIn(folder)).close()
  const underWay = await back(`${folder}/parley.db`, `${folder}/c`)

  assert.deepEqual([absent.code, damaged.code, inFile.code, underWay.code], [1, 1, 1, 1])
  assert.match(inFile.complaint, /^E[A-Z]+: [^\n]*broken\.db[^\n]*\n$/)
  assert.match(
    damaged.complaint,
    /^The database \S+broken\.db cannot be copied to [^\n]+: it is not a SQLite database\.\n$/,
  )
  assert.equal(
    underWay.complaint,
    `${folder}/c.unfinished is needed for a backup that is not complete. Delete or rename it.\n`,
  )
  for (const name of ['a', 'b', 'b.unfinished', 'c']) assert.equal(existsSync(`${folder}/${name}`), false, name)
})

/** Returns all rows of a SQLite file, except for the full-text index. */
function rowsOf(path: string): Record<string, unknown[]> {
  return useDatabaseFile(path, (query) => {
    const tables = query<{ name: string }>(
      `select "name" from sqlite_schema where "type" = 'table' and "name" not like 'messageWords%' and "name" not like 'sqlite_%'`,
    )
    return Object.fromEntries(tables.map(({ name }) => [name, query(`select * from "${name}" order by 1, 2`)]))
  })
}

/** Creates an installation with a few messages and an upload; returns its folder and the authorization of Ada. */
async function createInstallation(): Promise<{ folder: string; ada: string }> {
  const folder = await temporaryFolder()
  const ada = await createOrganizationIn(folder)
  const server = await startKillableServer(folder)
  for (let count = 0; count < 5; count++)
    await callServer(server, ada, 'POST /messages', toAda(`[notes](${await upload(server, ada, `file ${count}`)})`))
  await server.kill()
  return { folder, ada }
}

const settingsOf = (folder: string, more: Record<string, string> = {}) => ({
  ...{ DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder, LOG_LEVEL: 'silent', ...more },
})

test('an encrypted backup brings back every row, every file and the secret, and present data is moved aside', async () => {
  const { folder } = await createInstallation()
  const BACKUP_DIR = await temporaryFolder()
  const settings = settingsOf(folder, { BACKUP_DIR, BACKUP_PASSPHRASE: 'a passphrase of the team' })
  const [rows, secret] = [rowsOf(`${folder}/parley.db`), await readFile(`${folder}/secret`, 'utf8')]
  const made = await runCommand(['backup', '--json'], settings)
  assert.deepEqual([made.code, made.complaint], [0, ''])
  await writeFile(`${folder}/secret`, 'ab'.repeat(32))

  const refused = await runCommand(['backup', 'restore'], settings)
  const wrong = await runCommand(['backup', 'restore', '--replace'], {
    ...settings,
    BACKUP_PASSPHRASE: 'not that passphrase',
  })
  const done = await runCommand(['backup', 'restore', '--replace', '--json'], settings)
  const server = await startKillableServer(folder)
  await server.kill()

  assert.deepEqual([refused.code, wrong.code], [1, 1])
  assert.match(
    refused.complaint,
    /already contains data\. Add --replace, which moves it to a folder beside it, or --to DIR/,
  )
  assert.match(wrong.complaint, /^The passphrase is wrong/)
  const { moved_to, secret: state, files } = JSON.parse(done.output)
  assert.deepEqual([state, files], ['restored', 5])
  assert.equal(await readFile(`${folder}/secret`, 'utf8'), secret)
  const kept = rowsOf(`${moved_to}/parley.db`)
  assert.deepEqual(kept['messages'], rows['messages'])
  assert.equal(
    (await readdir(`${moved_to}/uploads`, { recursive: true })).length,
    (await readdir(`${folder}/uploads`, { recursive: true })).length,
  )
  const again = `${await temporaryFolder()}/again`
  await runCommand(['backup', 'restore', '--to', again], settings)
  const restored = rowsOf(`${again}/parley.db`)
  assert.deepEqual({ ...restored, installation: [] }, { ...rows, installation: [] })
})

test('a killed restore keeps the server from starting, and continues when it is repeated', async () => {
  const { folder, ada } = await createInstallation()
  const backup = `${await temporaryFolder()}/monday`
  await runCommand(['backup', backup], settingsOf(folder))
  // The 2nd change creates the mark, the 3rd and 4th move files and database aside, the 6th to the 10th restore the
  // files, the 11th the database, and the 12th removes the mark.
  for (const change of isLong ? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13] : [2, 4, 9, 12]) {
    const target = await temporaryFolder()
    await cp(folder, target, { recursive: true })
    const settings = settingsOf(target)
    const signal = await killAtChange(change, ['backup', 'restore', backup, '--replace'], settings)
    assert.equal(signal, 'SIGKILL', `at change ${change}`)
    const isMarked = existsSync(`${target}/restore.unfinished`)
    assert.equal(isMarked, change > 2 && change < 13, `at change ${change}`)
    if (isMarked) {
      const start = await runServer(target)
      assert.equal(start.code, 1)
      assert.match(
        start.complaint,
        /^A restore into .* was interrupted, so its data is incomplete\. Repeat it:\n {2}.*backup restore/,
      )
      const repeated = await runCommand(['backup', 'restore', backup], settings)
      assert.deepEqual([repeated.code, repeated.complaint], [0, ''])
    }

    const server = await startKillableServer(target)
    const newest = { anchor: 'newest', num_before: 10, num_after: 0 }
    const { messages } = await callServer(server, ada, 'GET /messages', newest)
    await server.kill()
    assert.equal(messages.length, 5)
    const asides = (await readdir(target)).filter((name) => name.startsWith('before-restore'))
    assert.equal(asides.length, change > 2 ? 1 : 0)
    for (const name of asides) assert.equal(rowsOf(`${target}/${name}/parley.db`)['messages']?.length, 5)
  }
})

/**
 * Runs a command that is killed right before it renames or removes a file or folder for the Nth time, counted from 1;
 * returns the signal that ended it, or null if it made fewer changes.
 */
async function killAtChange(change: number, words: string[], settings: Record<string, string>): Promise<string | null> {
  const hook = new URL('../../test/processes/kill-at-change.ts', import.meta.url)
  const child = spawn(process.execPath, [`--import=${hook}?${change}`, await builtServer('server/cli.ts'), ...words], {
    env: { ...process.env, ...settings },
    stdio: 'ignore',
  })
  const [, signal] = await once(child, 'close')
  return signal
}

/** Starts the server of the folder, which is expected to refuse. */
async function runServer(folder: string): Promise<{ code: number; complaint: string }> {
  const script = await builtServer('server/main.ts')
  const child = spawn(process.execPath, [script], { env: { ...process.env, ...settingsOf(folder), PORT: '0' } })
  const [[code], complaint] = await Promise.all([once(child, 'close'), text(child.stderr)])
  return { code, complaint }
}

test('a backup of SQLite is restored to another database, with ids that continue', async () => {
  const { folder, ada } = await createInstallation()
  const backup = `${await temporaryFolder()}/monday`
  await runCommand(['backup', backup], settingsOf(folder))
  const target = await temporaryFolder()
  const settings = settingsOf(target, { DATABASE_URL: await sharedDatabaseUrl() })

  const restored = await runCommand(['backup', 'restore', backup], settings)
  const again = await runCommand(['backup', 'restore', backup], settings)

  assert.deepEqual([restored.code, restored.complaint], [0, ''])
  assert.equal(again.code, 1)
  assert.match(again.complaint, /already contains (data|organizations)/)
  const server = await startKillableServer(target, settings)
  const search = { anchor: 'newest', num_before: 10, num_after: 0, narrow: [{ operator: 'search', operand: 'notes' }] }
  const { messages } = await callServer(server, ada, 'GET /messages', search)
  const { id } = await callServer(server, ada, 'POST /messages', toAda('sent after the restore'))
  await server.kill()
  assert.equal(messages.length, 5)
  assert.ok(id > messages.at(-1).id + 1_000_000)
})

test('a restore into PostgreSQL that was interrupted after its transaction is completed when it is repeated', {
  skip: !onPostgres && 'needs PostgreSQL',
}, async () => {
  const { folder } = await createInstallation()
  const backup = `${await temporaryFolder()}/monday`
  await runCommand(['backup', backup], settingsOf(folder))
  const target = await temporaryFolder()
  const settings = settingsOf(target, { DATABASE_URL: await sharedDatabaseUrl() })
  await runCommand(['backup', 'restore', backup], settings)
  const client = new pg.Client({ connectionString: settings.DATABASE_URL })
  await client.connect()
  const { rows } = await client.query("select value from installation where name = 'restore'")
  await client.end()
  const mark = { backup, aside: null, is_moved: true }

  await writeFile(`${target}/restore.unfinished`, JSON.stringify({ ...mark, id: 'another restore' }))
  const other = await runCommand(['backup', 'restore', backup], settings)
  await writeFile(`${target}/restore.unfinished`, JSON.stringify({ ...mark, id: rows[0].value }))
  const same = await runCommand(['backup', 'restore', backup], settings)

  assert.equal(other.code, 1)
  assert.match(
    other.complaint,
    /already contains organizations\. Create an empty one, .*\n {2}sudo -u postgres createdb /,
  )
  assert.deepEqual([same.code, same.complaint], [0, ''])
  assert.ok(!existsSync(`${target}/restore.unfinished`))
})

test('of two backups of a PostgreSQL database in one bucket at a time, the second is refused', {
  skip: (!onPostgres && 'needs PostgreSQL') || versitygwAbsent,
}, async () => {
  const store = await startVersitygw()
  const folder = await temporaryFolder()
  const { FILES_URL: BACKUP_DIR = '', ...keys } = store.environment({ prefix: 'backups' })
  const settings = settingsOf(folder, { DATABASE_URL: await sharedDatabaseUrl(), BACKUP_DIR, ...keys })
  const app = await openAppIn(folder, {}, { DATABASE_URL: settings.DATABASE_URL, DATA_DIR: folder })
  await createOrganizationOf(app, ['ada'])
  await app.close()
  const running = await takeBackupLock(settings.DATABASE_URL)

  const refused = await runCommand(['backup'], { ...settings, DATA_DIR: await temporaryFolder() })
  await running.release()
  const made = await runCommand(['backup'], settings)

  assert.equal(refused.code, 75)
  assert.match(
    refused.complaint,
    /^Another backup of this database is running: process \d+ on .*\. Try again after it\.$/m,
  )
  assert.deepEqual([made.code, made.complaint], [0, ''])
})

test('backups of files in S3 are kept in S3, verified, and restored to a folder', {
  skip: versitygwAbsent,
}, async () => {
  const store = await startVersitygw()
  const folder = await temporaryFolder()
  const ada = await createOrganizationIn(folder)
  const { FILES_URL: BACKUP_DIR = '', ...keys } = store.environment({ prefix: 'backups' })
  const settings = settingsOf(folder, { ...keys, FILES_URL: store.environment()['FILES_URL'] ?? '', BACKUP_DIR })
  const server = await startKillableServer(folder, settings)
  const path = await upload(server, ada, 'in the bucket')
  await callServer(server, ada, 'POST /messages', toAda(`[notes](${path})`))
  await server.kill()
  const to = `${await temporaryFolder()}/new`

  const made = await runCommand(['backup'], { ...settings, BACKUPS_KEPT: '1' })
  const next = await runCommand(['backup', '--json'], { ...settings, BACKUPS_KEPT: '1' })
  const listed = await runCommand(['backup', 'list', '--json'], settings)
  const restored = await runCommand(['backup', 'restore', BACKUP_DIR, '--to', to, '--json'], settings)

  assert.deepEqual([made.code, made.complaint, next.code, next.complaint], [0, '', 0, ''])
  assert.equal(JSON.parse(next.output).deleted, 1)
  assert.deepEqual(
    JSON.parse(listed.output).map(({ state }: { state: string }) => state),
    ['verified'],
  )
  assert.deepEqual([restored.code, JSON.parse(restored.output).files], [0, 1])
  const onDisk = await startKillableServer(to)
  const { url } = await callServer(onDisk, ada, `GET ${path}`)
  assert.equal(await (await fetch(onDisk.url + url)).text(), 'in the bucket')
  await onDisk.kill()
  const [file] = (
    await readdir(`${store.bucketFolder}/backups/files`, { recursive: true, withFileTypes: true })
  ).filter((entry) => entry.isFile())
  await writeFile(`${file?.parentPath}/${file?.name}`, 'in the buckeT')
  const damaged = await runCommand(['backup', 'verify'], settings)
  assert.equal(damaged.code, 1)
  assert.match(
    damaged.output,
    /is damaged:\n {2}files\/uploads\/.* is damaged: its hash differs\nCheck the disk .*, and make another: \S.* backup\n$/,
  )
  const doctor = await runCommand(['doctor'], settings)
  assert.match(doctor.output, /the newest backup, of .* ago, is damaged/)
  assert.equal((await runCommand(['backup'], settings)).code, 0)
  assert.doesNotMatch((await runCommand(['doctor'], settings)).output, /is damaged/)
})

test('a killed backup leaves nothing that looks like one, and the next run replaces it', async () => {
  const { folder } = await createInstallation()
  const BACKUP_DIR = await temporaryFolder()
  const settings = settingsOf(folder, { BACKUP_DIR })
  const place = await openPlace(BACKUP_DIR, completeSettings(readSettings({})))

  let change = 1
  for (; (await killAtChange(change, ['backup'], settings)) === 'SIGKILL'; change += isLong ? 1 : 4) {
    for (const snapshot of await findSnapshots(place)) {
      if (!snapshot.isComplete) continue
      const { code, complaint } = await runCommand(['backup', 'verify', `${BACKUP_DIR}/${snapshot.folder}`], settings)
      assert.deepEqual([code, complaint], [0, ''])
    }
  }
  const { code, complaint } = await runCommand(['backup'], settings)

  assert.ok(change > 8)
  assert.deepEqual([code, complaint], [0, ''])
  assert.ok((await findSnapshots(place)).every(({ isComplete }) => isComplete))
  assert.deepEqual((await readdir(BACKUP_DIR)).sort(), ['files', 'snapshots'])
})

test('a full disk keeps the earlier backups, and says how much is needed', async (context) => {
  const disk = await mountSmallDisk(8)
  if ('missing' in disk) return context.skip(disk.missing)
  const { folder } = await createInstallation()
  const settings = settingsOf(folder, { BACKUP_DIR: `${disk.folder}/backups` })

  const { code, complaint } = await runCommand(['backup'], settings)

  assert.equal(code, 1)
  assert.match(complaint, /^The disk of .*backups has \d+ MB of free space, and the backup needs \d+ MB\. Free some/)
})

test('damage is listed with an exit code, and the intact part can be restored', async () => {
  const { folder } = await createInstallation()
  const backup = `${await temporaryFolder()}/monday`
  const settings = settingsOf(folder)
  await runCommand(['backup', backup], settings)
  const files = (await readdir(`${backup}/uploads`, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  )
  const [damaged] = files
  assert.ok(damaged)
  await writeFile(`${damaged.parentPath}/${damaged.name}`, 'FILE 0')
  const to = `${await temporaryFolder()}/new`

  const verified = await runCommand(['backup', 'verify', backup, '--json'], settings)
  const refused = await runCommand(['backup', 'restore', backup, '--to', to], settings)
  const allowed = await runCommand(['backup', 'restore', backup, '--to', to, '--allow-damaged'], settings)

  assert.deepEqual([verified.code, refused.code, allowed.code], [1, 1, 0])
  const { faults } = JSON.parse(verified.output)
  assert.deepEqual(faults, [
    {
      name: `uploads/${damaged.parentPath.split('/uploads/')[1]}/${damaged.name}`,
      problem: 'is damaged: its hash differs',
    },
  ])
  assert.match(
    refused.complaint,
    /^The backup is damaged, and nothing was restored:\n {2}uploads\/.*\n.*--allow-damaged/,
  )
  assert.match(allowed.output, /and 4 files\.\nLeft out, because it is damaged:\n {2}uploads/)
  const half = await runCommand(['backup', 'verify', folder], settings)
  assert.match(half.complaint, /has no manifest\.json: it is unfinished, or of a version of Parley that made none\.$/m)
})

test('the time of the newest backup is in the database of a running server', async () => {
  const folder = await temporaryFolder()
  const settings = { DATABASE_URL: await sharedDatabaseUrl(), DATA_DIR: folder }
  await using app = await openAppIn(folder, {}, settings)
  const before = await findBackupState(app.services.db)

  const { code } = await runCommand(['backup', `${folder}/monday`], settings)

  assert.equal(code, 0)
  assert.deepEqual(before, { isScheduled: false, lastBackupAt: null, lastVerifiedAt: null, damagedAt: null })
  const { lastBackupAt } = await findBackupState(app.services.db)
  assert.ok(Math.abs((lastBackupAt ?? 0) - Date.now() / 1000) < 3600)
})
