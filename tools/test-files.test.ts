import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { changedTests } from './changed-tests.ts'
import { readSources } from './source-files.ts'
import { alwaysRunsOnBoth, canRunOnBoth, kindOf, testFiles } from './test-files.ts'
import { TESTS_ON_BOTH_DATABASES } from './tests-on-both-databases.ts'

const sources = new Map([
  ['server/lib/clock.test.ts', "import { testClock } from './clock.ts'"],
  ['server/lib/clock.ts', ''],
  ['server/people/users/create-user.test.ts', "import { startChat } from '../../../test/harness.ts'"],
  ['server/people/users/create-user.ts', ''],
  ['server/people/users/name.test.ts', "import { nameOf } from './name.ts'"],
  ['server/people/users/name.ts', ''],
  ['server/storage/transactions/transaction.test.ts', "import { testDatabaseUrl } from '../../../test/database.ts'"],
  ['test/clients/python/terminal.test.ts', "import { startChat } from '../../harness.ts'"],
  ['test/hostile/hostile.test.ts', "import { startChat } from '../harness.ts'"],
  ['test/scenarios/users.test.ts', "import { startChat } from '../harness.ts'"],
  ['test/web/appearance.test.ts', "import { test } from './in-chromium.ts'"],
  ['test/web/screens/chat.test.ts', "import './test-screens.ts'"],
  ['test/web/screens/test-screens.ts', "import { test } from '../in-chromium.ts'"],
  ['test/web/in-chromium.ts', "import { startChat } from '../harness.ts'"],
  ['test/database.ts', ''],
  ['test/harness.ts', "import '../server/app.ts'\nimport './database.ts'\nimport '#people/users/name.ts'"],
  ['server/app.ts', "import type { Chat } from '../test/harness.ts'\nimport '#people/users/create-user.ts'"],
])

test('test files are chosen by parts of their path', () => {
  assert.deepEqual(testFiles(sources, ['users/', 'clock']), [
    'server/lib/clock.test.ts',
    'server/people/users/create-user.test.ts',
    'server/people/users/name.test.ts',
  ])
  assert.equal(testFiles(sources, []).length, 9)
})

test('the kind of a test file follows from where it is and what it imports', () => {
  assert.equal(kindOf(sources, 'test/web/appearance.test.ts'), 'browser')
  assert.equal(kindOf(sources, 'test/web/screens/chat.test.ts'), 'screens')
  assert.equal(kindOf(sources, 'test/clients/python/terminal.test.ts'), 'clients')
  assert.equal(kindOf(sources, 'test/hostile/hostile.test.ts'), 'hostile')
  assert.equal(kindOf(sources, 'server/people/users/create-user.test.ts'), 'server')
  assert.equal(kindOf(sources, 'server/people/users/name.test.ts'), 'unit')
})

test('a test that reaches the test database, directly or through the harness, can run on both, except in a browser', () => {
  const chosen = testFiles(sources, []).filter((file) => canRunOnBoth(sources, file))

  assert.deepEqual(chosen, [
    'server/people/users/create-user.test.ts',
    'server/storage/transactions/transaction.test.ts',
    'test/clients/python/terminal.test.ts',
    'test/hostile/hostile.test.ts',
    'test/scenarios/users.test.ts',
  ])
})

test('tests of differences between the databases run on both in every run', () => {
  assert.equal(alwaysRunsOnBoth('server/storage/transactions/transaction.test.ts'), true)
  assert.equal(alwaysRunsOnBoth('server/people/users/create-user.test.ts'), false)
})

test('a change runs the tests that import it, those of its feature, and the scenarios', () => {
  assert.deepEqual(changedTests(sources, ['server/people/users/name.ts']), [
    'server/people/users/create-user.test.ts',
    'server/people/users/name.test.ts',
    'test/scenarios/users.test.ts',
  ])
})

test('a changed test runs alone', () => {
  assert.deepEqual(changedTests(sources, ['server/people/users/name.test.ts']), ['server/people/users/name.test.ts'])
})

test('a change of the foundations runs everything but the slow kinds', () => {
  const chosen = changedTests(sources, ['server/storage/transactions/transaction.ts'])

  assert.deepEqual(
    chosen,
    testFiles(sources, []).filter((file) => ['server', 'unit'].includes(kindOf(sources, file))),
  )
})

test('a change of the web client runs the tests in the browser', () => {
  assert.deepEqual(changedTests(sources, ['web/ui/button.tsx']), [
    'test/web/appearance.test.ts',
    'test/web/screens/chat.test.ts',
  ])
})

test('a change of documents runs nothing', () => {
  assert.deepEqual(changedTests(sources, ['README.md']), [])
})

test('each path of the tests that run on both databases leads to a test', async () => {
  const files = testFiles(await readSources(path.join(import.meta.dirname, '..')), [])
  const paths = TESTS_ON_BOTH_DATABASES.flatMap(({ paths }) => paths)

  assert.deepEqual(
    paths.filter((path) => !files.some((file) => file.startsWith(path))),
    [],
  )
})
