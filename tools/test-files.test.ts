import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadsApp, opensBrowser, runsOnEveryDatabase, testFiles } from './test-files.ts'

const sources = new Map([
  ['server/base/clock.test.ts', "import { testClock } from './clock.ts'"],
  ['server/base/clock.ts', ''],
  ['server/users/create-user.test.ts', "import { startChat } from '../../test/harness.ts'"],
  ['server/storage/transaction.test.ts', "import { testDatabaseUrl } from '../../test/database.ts'"],
  ['test/web/looks.test.ts', "import { testInChromium } from './in-chromium.ts'"],
  ['test/web/in-chromium.ts', "import { startChat } from '../harness.ts'"],
  ['test/database.ts', ''],
  ['test/harness.ts', "import { app } from '../server/app.ts'\nimport { testDatabaseUrl } from './database.ts'"],
  ['server/app.ts', "import type { Chat } from '../test/harness.ts'"],
])

test('test files are chosen by parts of their path', () => {
  assert.deepEqual(testFiles(sources, ['users/', 'clock']), [
    'server/base/clock.test.ts',
    'server/users/create-user.test.ts',
  ])
  assert.equal(testFiles(sources, []).length, 4)
})

test('a test that reaches the test database, directly or through the harness, runs on every database, but in no browser', () => {
  const chosen = testFiles(sources, []).filter((file) => runsOnEveryDatabase(sources, file))

  assert.deepEqual(chosen, ['server/users/create-user.test.ts', 'server/storage/transaction.test.ts'])
})

test('a test that loads the whole server is told from one that does not', () => {
  const chosen = testFiles(sources, []).filter((file) => loadsApp(sources, file))

  assert.deepEqual(chosen, ['server/users/create-user.test.ts', 'test/web/looks.test.ts'])
})

test('a test in a browser is told from those that need none', () => {
  const chosen = testFiles(sources, []).filter((file) => opensBrowser(sources, file))

  assert.deepEqual(chosen, ['test/web/looks.test.ts'])
})
