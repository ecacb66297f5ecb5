import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completeSettings, readSettings } from '#config.ts'
import { openLog } from '#lib/log.ts'
import { openApp } from '../../server/app.ts'
import { collectLog } from '../collected-log.ts'
import { onPostgres } from '../database.ts'
import { sharedDatabaseUrl, temporaryFolder } from '../storage.ts'

test('a node with another secret or address is refused by name, and one with another limit is warned about once', {
  skip: !onPostgres && 'only PostgreSQL has several nodes',
}, async () => {
  const shared = {
    ...{ DATABASE_URL: await sharedDatabaseUrl(), DATA_DIR: await temporaryFolder(), SEVERAL_NODES: 'true' },
    ...{ SECRET_KEY: 's'.repeat(40), EXTERNAL_URL: 'https://chat.example.com' },
  }
  const { log, entries } = collectLog()
  const start = (changes: Record<string, string> = {}) =>
    openApp({ settings: completeSettings(readSettings({ ...shared, ...changes })), log })
  await using _ = await openApp({ settings: readSettings(shared), log: openLog('silent') })

  await assert.rejects(start({ SECRET_KEY: 't'.repeat(40) }), (error: Error) => {
    assert.match(error.message, /^This node has another SECRET_KEY than the nodes that serve the database/)
    return !/sss|ttt/.test(error.message)
  })
  await assert.rejects(start({ EXTERNAL_URL: 'https://other.example.com' }), {
    message: /another EXTERNAL_URL .* Give all nodes the same EXTERNAL_URL\. To change it, stop all nodes first\.$/,
  })
  const warnings = () => entries.filter(({ message }) => message.includes('other settings than another node'))
  for (const _turn of [1, 2])
    await (await start({ MAX_FILE_UPLOAD_SIZE_MIB: '30', LOG_LEVEL: 'error', BACKUP_DIR: '/backups' })).close()

  assert.deepEqual(
    warnings().map(({ settings }) => settings),
    [['BACKUP_DIR', 'MAX_FILE_UPLOAD_SIZE_MIB']],
  )
})
