import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { completeSettings, readSettings } from '#config.ts'
import { anyEvent } from '../../../test/any-event.ts'
import { onPostgres } from '../../../test/database.ts'
import { createDatabase, startPostgres } from '../../../test/postgres.ts'
import { openTestStorage } from '../../../test/storage.ts'
import type { Storage } from '../storage.ts'

const skip = (!onPostgres && 'needs PostgreSQL') || (process.platform === 'win32' && 'needs cp')

/** Replaces the folder at `to` with a copy, including the owners of its files. */
function replaceFolder(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  execFileSync('cp', ['-a', from, to])
}

const emit = ({ transaction }: Storage) => transaction(async (tx) => tx.emit(1, anyEvent('hello'), [1]))

const untilReady = async (storage: Storage) => {
  while (!(await storage.isReady())) await sleep(20)
}

test('servers survive a restart of PostgreSQL, and end if an older copy of its data was restored', {
  skip,
}, async () => {
  const postgres = await startPostgres()
  const fatal = [Promise.withResolvers<unknown>(), Promise.withResolvers<unknown>()] as const
  const open = async (name: string, isNode: boolean, onFatal: (error: unknown) => void) => {
    const DATABASE_URL = await createDatabase(postgres.url, name)
    const settings = completeSettings({ ...readSettings({}), DATABASE_URL, SEVERAL_NODES: isNode })
    return openTestStorage({ settings, onFatal })
  }
  const alone = await open('alone', false, fatal[0].resolve)
  const node = await open('node', true, fatal[1].resolve)
  await Promise.all([emit(alone), emit(node)])

  await postgres.restart((data) => replaceFolder(data, `${data}-copy`))
  await Promise.all([untilReady(alone), untilReady(node)])
  await Promise.all([emit(alone), emit(node)])
  await postgres.restart((data) => replaceFolder(`${data}-copy`, data))
  const errors = await Promise.all(fatal.map(({ promise }) => promise))
  await Promise.allSettled([alone.close(), node.close()])
  await postgres.stop()

  for (const error of errors) assert.match(String(error), /another database in place of the one that was served/)
})
