import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/storage.ts'
import { openLog } from './log.ts'

test('errors are logged with their code and constraint, and without the rows that PostgreSQL quotes', async () => {
  const file = join(await temporaryFolder(), 'log')
  const log = openLog('error', file)
  const facts = { code: '23514', constraint: 'messages_topic_check', detail: 'Failing row contains (1, SECRET).' }
  const cause = Object.assign(new Error('new row violates a check'), { ...facts, where: 'SECRET' })

  log.error({ err: cause }, 'Request crashed')
  log.error({ err: new Error('Not saved', { cause }) }, 'Request crashed')

  const text = readFileSync(file, 'utf8')
  const [line] = text.split('\n').map((one) => (one === '' ? null : JSON.parse(one)))
  assert.match(line.time, /^\d{4}-\d\d-\d\dT.*Z$/)
  assert.partialDeepStrictEqual(line.err, { code: '23514', constraint: 'messages_topic_check' })
  assert.match(line.err.stack, /log\.test/)
  assert.doesNotMatch(text, /SECRET/)
})
