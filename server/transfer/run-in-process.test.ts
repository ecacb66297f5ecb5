import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readSettings } from '#config.ts'
import { builtServer } from '../../test/processes/built-server.ts'
import { createOrganizationIn, startKillableServer } from '../../test/processes/killable-server.ts'
import { temporaryFolder } from '../../test/storage.ts'
import { backUpInProcess } from './run-in-process.ts'

test('a running server makes a backup by itself', async () => {
  const [folder, conversation] = [await temporaryFolder(), await temporaryFolder()]
  await createOrganizationIn(folder)
  const server = await startKillableServer(folder, { BACKUP_DIR: `${conversation}/daily` })

  const isDone = async () => {
    const [name] = await readdir(`${conversation}/daily/snapshots`).catch(() => [])
    return name !== undefined && existsSync(`${conversation}/daily/snapshots/${name}/check.json`)
  }
  while (!(await isDone())) await sleep(100)
  await server.kill()

  const [name, ...others] = await readdir(`${conversation}/daily/snapshots`)
  assert.deepEqual(others, [])
  assert.deepEqual((await readdir(`${conversation}/daily/snapshots/${name}`)).sort(), [
    'check.json',
    'manifest.json',
    'manifest.json.sha256',
    'parley.db',
  ])
})

test('the error output of the command line is the reason of the failure', async () => {
  const script = await builtServer('server/cli.ts')
  const folder = await temporaryFolder()
  const { DATABASE_URL: before = '', BACKUP_DIR: placeBefore = '' } = process.env

  process.env['DATABASE_URL'] = `${folder}/missing.db`
  process.env['BACKUP_DIR'] = `${folder}/backups`
  const failed = backUpInProcess(script, readSettings({}))(new AbortController().signal)
  process.env['DATABASE_URL'] = before
  process.env['BACKUP_DIR'] = placeBefore

  await assert.rejects(failed, { message: `There is no database at ${folder}/missing.db. Check DATABASE_URL.` })
})
