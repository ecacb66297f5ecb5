import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { builtServer } from '../../test/processes/built-server.ts'
import { createOrganizationIn, startKillableServer } from '../../test/processes/killable-server.ts'
import { temporaryFolder } from '../../test/storage.ts'
import { backUpInProcess } from './run-in-process.ts'

test('a running server makes a backup by itself', async () => {
  const [folder, conversation] = [await temporaryFolder(), await temporaryFolder()]
  await createOrganizationIn(folder)
  const server = await startKillableServer(folder, { BACKUP_DIR: `${conversation}/daily` })

  let names: string[] = []
  for (let tries = 0; tries < 1000 && !(names.length === 1 && names[0]?.endsWith('Z')); tries += 1) {
    await sleep(100)
    names = await readdir(`${conversation}/daily`).catch(() => [])
  }
  await server.kill()

  assert.equal(names.length, 1)
  assert.deepEqual(await readdir(`${conversation}/daily/${names[0]}`), ['parley.db'])
})

test('the error output of the command line is the reason of the failure', async () => {
  const script = await builtServer('server/cli.ts')
  const folder = await temporaryFolder()
  const { DATABASE_URL: before = '' } = process.env

  process.env['DATABASE_URL'] = `${folder}/missing.db`
  const failed = backUpInProcess(script, `${folder}/backup`, AbortSignal.timeout(120_000))
  process.env['DATABASE_URL'] = before

  await assert.rejects(failed, { message: `There is no database at ${folder}/missing.db. Check DATABASE_URL.` })
})
