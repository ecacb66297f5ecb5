import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkImports } from './check-imports.ts'

/** Returns the problems among files that are given as their lines. */
function problems(files: Record<string, string[]>): string[] {
  return checkImports(new Map(Object.entries(files).map(([file, lines]) => [file, lines.join('\n')])))
}

test('a module imports itself and the modules before it', () => {
  const found = problems({
    'server/lib/clock.ts': [],
    'server/people/users.ts': ["import type { Clock } from '#lib/clock.ts'"],
    'server/messages/message.ts': ["import { test } from 'node:test'", "import type { User } from '#people/users.ts'"],
    'server/messages/send-message.ts': ["import { toJson } from './message.ts'", "import '#lib/clock.ts'"],
    'server/main.ts': ["import { send } from '#messages/send-message.ts'"],
  })

  assert.deepEqual(found, [])
})

for (const line of [
  "import type { Channel } from '#channels/channel.ts'",
  "import '#channels/channel.ts'",
  "export { channel } from '../channels/channel.ts'",
  "export * from '#channels/channel.ts'",
  "  const { channel } = await import('#channels/channel.ts')",
  "type Channel = import('#channels/channel.ts').Channel",
]) {
  test(`an import of a later module is found in the form \`${line.trim()}\``, () => {
    const found = problems({ 'server/channels/channel.ts': [], 'server/people/users.ts': ["const a = 'b'", line] })

    assert.deepEqual(found, ['server/people/users.ts:2 imports server/channels/channel.ts: people is below channels'])
  })
}

test('text that only looks like an import is ignored', () => {
  const found = problems({
    'server/channels/channel.ts': [],
    'server/people/users.ts': [
      "// import { channel } from '#channels/channel.ts'",
      " * As in import('#channels/channel.ts')",
      "const text = `import x from '#channels/channel.ts'`",
    ],
  })

  assert.deepEqual(found, [])
})

test('only the module itself and tests import files of its subfolders, or of the folder of a module of one file', () => {
  const found = problems({
    'server/people/names/full-name.ts': [],
    'server/people/users.ts': ["import './names/full-name.ts'"],
    'server/messages/message.ts': ["import '#people/names/full-name.ts'"],
    'server/messages/message.test.ts': ["import '#people/names/full-name.ts'"],
    'server/config/declarations.ts': [],
    'server/config.ts': ["import './config/declarations.ts'"],
    'server/messages/narrow.ts': ["import '#config/declarations.ts'"],
  })

  assert.deepEqual(found, [
    'server/messages/message.ts:1 imports server/people/names/full-name.ts: subfolders of people are private',
    'server/messages/narrow.ts:1 imports server/config/declarations.ts: the folder of config.ts is private',
  ])
})

test('a folder that is not in the list of modules is named', () => {
  const found = problems({ 'server/lib/clock.ts': [], 'server/polls/poll.ts': ["import '#lib/clock.ts'"] })

  assert.deepEqual(found, [
    'server/polls/poll.ts:1 imports server/lib/clock.ts: "polls" is missing in the list of modules',
  ])
})

test('nothing imports tests, and the server imports neither tests nor tools', () => {
  const found = problems({
    'server/app.ts': ["import '../test/harness.ts'"],
    'server/http/router.ts': ["import '#lib/clock.test.ts'"],
    'server/lib/clock.test.ts': ["import '../../test/harness.ts'"],
    'test/harness.ts': [],
  })

  assert.deepEqual(found, [
    'server/app.ts:1 imports test/harness.ts: server must not depend on test',
    'server/http/router.ts:1 imports server/lib/clock.test.ts: tests must not be imported',
  ])
})

test('files that import each other are named once', () => {
  const found = problems({
    'server/people/a.ts': ["import './b.ts'"],
    'server/people/b.ts': ["import './c.ts'"],
    'server/people/c.ts': ["import './b.ts'"],
  })

  assert.deepEqual(found, ['imports in a circle: server/people/b.ts → server/people/c.ts → server/people/b.ts'])
})

test('the client imports types and rules of the server, and its own modules in their order', () => {
  const found = problems({
    'server/rules/role.ts': [],
    'server/channels/channel.ts': [],
    'web/inbox/a.tsx': [
      "import { isOwner } from '#rules/role.ts'",
      "import type { Channel } from '#channels/channel.ts'",
    ],
    'web/ui/b.tsx': ["import { Channel } from '#channels/channel.ts'", "import '../inbox/a.tsx'"],
  })

  assert.deepEqual(found, [
    'web/ui/b.tsx:1 imports server/channels/channel.ts: the client may import types and rules of the server, but no other values',
    'web/ui/b.tsx:2 imports web/inbox/a.tsx: ui is below inbox',
  ])
})

test('subfolders of the client are private, too, when they are loaded later', () => {
  const found = problems({
    'web/sidebar/menus/account-menu.tsx': [],
    'web/app/shell.tsx': ["const menu = () => import('../sidebar/menus/account-menu.tsx')"],
  })

  assert.deepEqual(found, [
    'web/app/shell.tsx:1 imports web/sidebar/menus/account-menu.tsx: subfolders of sidebar are private',
  ])
})

test('rules import only each other, because the client shares them', () => {
  const found = problems({ 'server/lib/clock.ts': [], 'server/rules/role.ts': ["import '#lib/clock.ts'"] })

  assert.deepEqual(found, [
    'server/rules/role.ts:1 imports server/lib/clock.ts: rules, which the client shares, may only import each other',
  ])
})
