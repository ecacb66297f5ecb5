import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { test } from 'node:test'
import { takeSqliteLock } from '#storage/sqlite/lock.ts'
import { callServer, toAda } from '../../test/processes/call-server.ts'
import { runCommand } from '../../test/processes/command.ts'
import {
  createOrganizationIn,
  createOrganizationOf,
  openAppIn,
  startKillableServer,
} from '../../test/processes/killable-server.ts'
import { sharedDatabaseUrl, temporaryFolder } from '../../test/storage.ts'

test('an organization is exported during use, and another server imports it', async () => {
  const [folder, elsewhere] = [await temporaryFolder(), await temporaryFolder()]
  const settings = { DATABASE_URL: await sharedDatabaseUrl(), DATA_DIR: folder }
  const app = await openAppIn(folder, {}, settings)
  const [ada = ''] = await createOrganizationOf(app, ['ada'])
  await app.close()
  const server = await startKillableServer(folder, settings)
  for (const text of ['one', 'two', 'three']) await callServer(server, ada, 'POST /messages', toAda(text))
  let [isOver, said] = [false, 3]
  const talking = (async () => {
    for (; !isOver; said += 1) await callServer(server, ada, 'POST /messages', toAda('sent meanwhile'))
  })()

  const exported = await runCommand(['org', 'export', `${folder}/out.tar.gz`], settings)
  isOver = true
  await talking
  await server.kill()
  const there = { DATABASE_URL: `${elsewhere}/parley.db`, DATA_DIR: elsewhere, EXTERNAL_URL: 'http://parley.test' }
  const imported = await runCommand(['org', 'import', `${folder}/out.tar.gz`, '--json'], there)

  assert.deepEqual([exported.code, JSON.parse(exported.complaint).event], [0, 'export_started'])
  assert.match(exported.output, /^Exported Example to \S+out\.tar\.gz\.\n\nexported +count\npeople +1\n/)
  assert.match(exported.output, /\nNot included: passwords, API keys, /)
  assert.equal((await stat(`${folder}/out.tar.gz`)).mode & 0o077, 0)
  assert.equal(existsSync(`${folder}/out.tar.gz.unfinished`), false)
  const { organization, url, imported: counts } = JSON.parse(imported.output)
  assert.deepEqual([organization, url, counts.people], ['Example', 'http://parley.test', 1])
  assert.ok(counts.messages >= 3 && counts.messages <= said, `${counts.messages} of ${said}`)
})

test('a failed export reports the reason, and leaves nothing that looks like an export', async () => {
  const folder = await temporaryFolder()
  const settings = { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder }
  const exportTo = (name: string, ...words: string[]) =>
    runCommand(['org', 'export', `${folder}/${name}`, ...words], settings)

  const absent = await exportTo('a')
  await createOrganizationIn(folder)
  const unknown = await exportTo('b', '--org', 'harbor')
  const ofTheServer = await exportTo('b', '--org', 'parley-system')
  await mkdir(`${folder}/c.unfinished`)
  const lock = await takeSqliteLock(`${folder}/c.unfinished/.writer`)
  const underWay = await exportTo('c')
  lock.release()
  const made = await exportTo('d', '--json')
  const again = await exportTo('d')

  assert.deepEqual(
    [absent, unknown, ofTheServer, underWay, again].map(({ code, output }) => [code, output]),
    [1, 1, 1, 75, 1].map((code) => [code, '']),
  )
  assert.match(absent.complaint, /^There is no data of a server in /)
  assert.match(unknown.complaint, /^There is no organization with the subdomain 'harbor'\. /)
  assert.match(ofTheServer.complaint, /^There is no organization with the subdomain 'parley-system'\. /)
  assert.match(underWay.complaint, /c\.unfinished belongs to an export that is running\.\n$/)
  assert.match(again.complaint, /d already exists\. Choose another name\.\n$/)
  assert.partialDeepStrictEqual(JSON.parse(made.output), { path: `${folder}/d`, exported: { people: 1 } })
  assert.ok(existsSync(`${folder}/d/realm.json`))
  assert.equal((await stat(`${folder}/d`)).mode & 0o077, 0)
  for (const name of ['a', 'b', 'b.unfinished', 'd.unfinished']) assert.equal(existsSync(`${folder}/${name}`), false)
})

test('an export that finds none of the uploaded files reports the folder and fails', async () => {
  const [folder, elsewhere] = [await temporaryFolder(), await temporaryFolder()]
  const ada = await createOrganizationIn(folder)
  const server = await startKillableServer(folder)
  const body = new FormData()
  body.append('file', new Blob(['words']), 'notes.txt')
  await fetch(`${server.url}/api/v1/user_uploads`, { method: 'POST', headers: { authorization: ada }, body })
  await server.kill()
  const exportFrom = (DATA_DIR: string) =>
    runCommand(['org', 'export', `${folder}/out`], { DATABASE_URL: `${folder}/parley.db`, DATA_DIR })

  const mistaken = await exportFrom(elsewhere)
  const isThere = existsSync(`${folder}/out`)
  const right = await exportFrom(folder)

  assert.deepEqual([mistaken.code, isThere, right.code], [1, false, 0])
  assert.equal(mistaken.complaint, `None of the uploaded files is in DATA_DIR, ${elsewhere}. Is it the right folder?\n`)
})
