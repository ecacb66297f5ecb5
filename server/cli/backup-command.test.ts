import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { findBackupState } from '#transfer/backups.ts'
import { callServer, toAda } from '../../test/processes/call-server.ts'
import { runCommand } from '../../test/processes/command.ts'
import {
  createOrganizationOf,
  type KillableServer,
  openAppIn,
  startKillableServer,
} from '../../test/processes/killable-server.ts'
import { sharedDatabaseUrl, temporaryFolder } from '../../test/storage.ts'

async function upload({ url }: KillableServer, authorization: string, text: string): Promise<string> {
  const body = new FormData()
  body.append('file', new Blob([text]), 'notes.txt')
  const answer = await fetch(`${url}/api/v1/user_uploads`, { method: 'POST', headers: { authorization }, body })
  const { url: path } = (await answer.json()) as { url: string }
  return path
}

test('a backup of a running server contains everything acknowledged before, including files, and can be served', async () => {
  const [folder, place] = [await temporaryFolder(), await temporaryFolder()]
  const settings = { DATABASE_URL: await sharedDatabaseUrl(), DATA_DIR: folder }
  const app = await openAppIn(folder, {}, settings)
  const [ada = ''] = await createOrganizationOf(app, ['ada'])
  await app.close()
  const server = await startKillableServer(folder, settings)
  const path = await upload(server, ada, 'the words of a file')
  const { id } = await callServer(server, ada, 'POST /messages', toAda(`said before, and [notes](${path})`))
  let isOver = false
  const talking = (async () => {
    while (!isOver) await callServer(server, ada, 'POST /messages', toAda('sent meanwhile'))
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
  assert.deepEqual((await readdir(`${place}/monday`)).sort(), ['parley.db', 'uploads'])

  const restored = await startKillableServer(`${place}/monday`)
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

test('the time of the newest backup is in the database of a running server', async () => {
  const folder = await temporaryFolder()
  const settings = { DATABASE_URL: await sharedDatabaseUrl(), DATA_DIR: folder }
  await using app = await openAppIn(folder, {}, settings)
  const before = await findBackupState(app.services.db)

  const { code } = await runCommand(['backup', `${folder}/monday`], settings)

  assert.equal(code, 0)
  assert.deepEqual(before, { isScheduled: false, lastBackupAt: null, lastVerifiedAt: null })
  const { lastBackupAt } = await findBackupState(app.services.db)
  assert.ok(Math.abs((lastBackupAt ?? 0) - Date.now() / 1000) < 3600)
})
