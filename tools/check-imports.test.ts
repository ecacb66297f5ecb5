import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkImports } from './check-imports.ts'

/** Returns the problems among files that are given as their lines. */
function problems(files: Record<string, string[]>): string[] {
  return checkImports(new Map(Object.entries(files).map(([file, lines]) => [file, lines.join('\n')])))
}

test('a feature imports its own folder and the layers below', () => {
  const found = problems({
    'server/platform/runtime/clock.ts': [],
    'server/people/users/user.ts': ["import type { Clock } from '../../platform/runtime/clock.ts'"],
    'server/messages/message.ts': [
      "import { test } from 'node:test'",
      "import type { User } from '../people/users/user.ts'",
    ],
    'server/messages/send-message.ts': [
      "import { toJson } from './message.ts'",
      "import '../platform/runtime/clock.ts'",
    ],
    'server/main.ts': ["import { send } from './messages/send-message.ts'", "export * from './cli.ts'"],
    'server/cli.ts': ["import { send } from './messages/send-message.ts'"],
  })

  assert.deepEqual(found, [])
})

test('an import of a higher layer is named with its line and the reason', () => {
  const found = problems({
    'server/channels/access.ts': [],
    'server/people/users/queries.ts': ['import {', '  requireChannels,', "} from '../../channels/access.ts'"],
  })

  assert.deepEqual(found, [
    'server/people/users/queries.ts:1 imports server/channels/access.ts: people/users is below channels',
  ])
})

for (const line of [
  "import type { Channel } from '../../channels/channel.ts'",
  "import '../../channels/channel.ts'",
  "export { channel } from '../../channels/channel.ts'",
  "export * from '../../channels/channel.ts'",
  "  const { channel } = await import('../../channels/channel.ts')",
  "type Channel = import('../../channels/channel.ts').Channel",
]) {
  test(`an import is found in the form \`${line.trim()}\``, () => {
    const found = problems({ 'server/channels/channel.ts': [], 'server/people/users/user.ts': ["const a = 'b'", line] })

    assert.deepEqual(found, [
      'server/people/users/user.ts:2 imports server/channels/channel.ts: people/users is below channels',
    ])
  })
}

test('text that only looks like an import is ignored', () => {
  const found = problems({
    'server/channels/channel.ts': [],
    'server/people/users/user.ts': [
      "// import { channel } from '../../channels/channel.ts'",
      "/** As in `import('../../channels/channel.ts')`. */",
      " * import('../../channels/channel.ts')",
      "export const from = '../../channels/channel.ts'",
    ],
  })

  assert.deepEqual(found, [])
})

test('only endpoints and the layers above them import http', () => {
  const importHttp = ["import { endpoint } from '../../http/endpoint.ts'"]
  const found = problems({
    'server/http/endpoint.ts': [],
    'server/http/router.ts': ["import type { Endpoint } from './endpoint.ts'"],
    'server/people/users/endpoints.ts': importHttp,
    'server/people/users/bot-endpoints.ts': importHttp,
    'server/people/users/endpoints/profile.ts': ["import { endpoint } from '../../../http/endpoint.ts'"],
    'server/people/users/create-user.ts': importHttp,
    'server/testing/endpoints.ts': [
      "import { endpoint } from '../http/endpoint.ts'",
      "import { world } from './world.ts'",
    ],
    'server/testing/test-world.ts': ["import { api } from '../api.ts'"],
    'server/api.ts': ["import { users } from './people/users/endpoints.ts'"],
  })

  assert.deepEqual(found, [
    'server/people/users/create-user.ts:1 imports server/http/endpoint.ts: ' +
      'only endpoints and the layers above them may import http, and this is people/users',
  ])
})

test('no file below the list of endpoints imports an endpoint', () => {
  const found = problems({
    'server/people/users/endpoints.ts': [],
    'server/people/users/create-user.ts': ["import { createUser } from './endpoints.ts'"],
    'server/http/router.ts': ["import { createUser } from '../people/users/endpoints.ts'"],
  })

  assert.deepEqual(found, [
    'server/people/users/create-user.ts:1 imports server/people/users/endpoints.ts: people/users is below endpoints',
    'server/http/router.ts:1 imports server/people/users/endpoints.ts: http is below endpoints',
  ])
})

test('the server imports neither tests nor tools, while tests may import anything', () => {
  const found = problems({
    'test/harness.ts': ["import { app } from '../server/app.ts'"],
    'server/app.ts': ["import { startChat } from '../test/harness.ts'"],
    'server/platform/runtime/clock.test.ts': [
      "import { startChat } from '../../../test/harness.ts'",
      "import '../../http/router.ts'",
    ],
    'server/http/router.ts': ["import '../platform/runtime/clock.test.ts'"],
    'tools/check.ts': [],
  }).filter((problem) => !problem.startsWith('imports in a circle'))

  assert.deepEqual(found, [
    'server/app.ts:1 imports test/harness.ts: the server must not depend on tests, tools and benches',
    'server/http/router.ts:1 imports server/platform/runtime/clock.test.ts: tests must not be imported',
  ])
})

test('a folder that is missing in the list of layers is a problem', () => {
  const found = problems({ 'server/polls/poll.ts': ["import { now } from '../platform/runtime/clock.ts'"] })

  assert.deepEqual(found, ['server/polls/poll.ts: "polls" is missing in the list of layers'])
})

test('a cycle of imports is reported once, from file to file', () => {
  const found = problems({
    'server/people/users/a.ts': ["import type { B } from './b.ts'"],
    'server/people/users/b.ts': ["import type { C } from './c.ts'"],
    'server/people/users/c.ts': ["import type { B } from './b.ts'"],
    'server/people/users/d.ts': ["import type { B } from './b.ts'"],
  })

  assert.deepEqual(found, [
    'imports in a circle: server/people/users/b.ts → server/people/users/c.ts → server/people/users/b.ts',
  ])
})

test('the web client imports types of the server, and its own folders in one direction', () => {
  const found = problems({
    'server/api.ts': [],
    'web/api/types.ts': ["import type { Api } from '../../server/api.ts'"],
    'web/api/call.ts': ["import { api } from '../../server/api.ts'", "import { open } from '../views/home.tsx'"],
    'web/views/home.tsx': ["import { call } from '../api/call.ts'", "import '../../test/harness.ts'"],
  })

  assert.deepEqual(found, [
    'web/api/call.ts:1 imports server/api.ts: the client may import types and rules of the server, but no other values',
    'web/api/call.ts:2 imports web/views/home.tsx: api is below views',
    'web/views/home.tsx:2 imports test/harness.ts: the client must not depend on tests, tools and benches',
    'imports in a circle: web/api/call.ts → web/views/home.tsx → web/api/call.ts',
  ])
})

test('only access files and shared rules decide by role', () => {
  const lines = [
    "import { isAdministrator, Role } from '../people/users/role.ts'",
    'if (!isAdministrator(actor)) throw insufficientPermission()',
    'if (actor.role <= Role.moderator) return',
  ]
  const found = problems({
    'server/people/users/role.ts': [],
    'server/channels/access.ts': lines,
    'server/channels/privacy.ts': lines,
  })

  const reason = 'compares roles, which only access.ts of a feature and server/rules may do'
  assert.deepEqual(
    found,
    [1, 2, 3].map((line) => `server/channels/privacy.ts:${line} ${reason}`),
  )
})
