import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missing, refused, succeeded } from './answers.ts'
import { startServer } from './server.ts'
import type { Person } from './world.ts'

const server = await startServer()

const NOT_JSON = 'is not valid JSON'

/** The call for each parameter, with the other parameters that it needs to succeed. */
const CALLS = {
  apply_markdown: ['GET /messages/1', {}],
  allow_empty_topic_name: ['GET /messages/1', {}],
  ping_only: ['POST /users/me/presence', { status: 'active' }],
  new_user_input: ['POST /users/me/presence', { status: 'active' }],
  slim_presence: ['POST /users/me/presence', { status: 'active' }],
  last_update_id: ['POST /users/me/presence', { status: 'active' }],
  history_limit_days: ['POST /users/me/presence', { status: 'active' }],
  invite_expires_in_minutes: ['POST /invites', { invitee_emails: 'new@example.com', stream_ids: [] }],
  invite_as: ['POST /invites', { invitee_emails: 'new@example.com', stream_ids: [] }],
  notify_referrer_on_join: ['POST /invites', { invitee_emails: 'new@example.com', stream_ids: [] }],
  include_realm_default_subscriptions: ['POST /invites', { invitee_emails: 'new@example.com', stream_ids: [] }],
  stream_ids: ['POST /invites', { invitee_emails: 'new@example.com' }],
  group_ids: ['POST /invites', { invitee_emails: 'new@example.com', stream_ids: [] }],
  subscriptions: ['DELETE /users/me/subscriptions', {}],
  principals: ['DELETE /users/me/subscriptions', { subscriptions: ['pub'] }],
} as const
type Name = keyof typeof CALLS

const BOOLEANS: Name[] = [
  'apply_markdown',
  'allow_empty_topic_name',
  'ping_only',
  'new_user_input',
  'slim_presence',
  'notify_referrer_on_join',
  'include_realm_default_subscriptions',
]
const INTEGERS: Name[] = ['last_update_id', 'history_limit_days', 'invite_expires_in_minutes', 'invite_as']

/** Sends each value literally for the parameter, and requires an error that ends with this text. */
async function refuses(person: Person, name: Name, values: readonly string[], ending: string): Promise<void> {
  const [route, others] = CALLS[name]
  for (const value of values) refused(await person.call(route, { ...others, [name]: value }), `${name}${ending}`)
}

test('17, 23: booleans are JSON, `true` or `false`', async () => {
  const { alice } = await server.world()

  for (const name of BOOLEANS) {
    await refuses(alice, name, ['True', 'FALSE', 'yes', '', ' ', 'on', "'true'", '{'], ` ${NOT_JSON}`)
    await refuses(alice, name, ['1', '0', '"true"', 'null', '[]', '{}', '[true]', '1.5'], ' is not a boolean')
  }
})

test('white space around a boolean or a number is allowed', async () => {
  const { alice } = await server.world()

  const body = await alice.succeed('POST /users/me/presence', {
    status: 'active',
    ping_only: ' true\n',
    last_update_id: '\t7 ',
    slim_presence: ' false',
  })

  assert.deepEqual(body, { result: 'success', msg: '', presence_last_update_id: 7 })
})

test('18, 19: integers are JSON integers', async () => {
  const { alice } = await server.world()

  for (const name of INTEGERS) {
    await refuses(alice, name, ['abc', '', '007', '+5', '1_000', '0x10', 'soon', '--1', '5,'], ` ${NOT_JSON}`)
    await refuses(alice, name, ['5.0', '1e3', '"5"', 'true', '[]', '{}', '1.5', 'NaN'], ' is not an integer')
  }
})

test('null is valid only for the expiry of invitations', async () => {
  const { alice } = await server.world()

  for (const name of ['last_update_id', 'history_limit_days', 'invite_as'] as const)
    await refuses(alice, name, ['null'], ' is not an integer')
  for (const name of ['stream_ids', 'group_ids', 'subscriptions'] as const)
    await refuses(alice, name, ['null'], ' is not a list')
  await alice.succeed('POST /invites', {
    invitee_emails: 'a@example.com',
    stream_ids: [],
    invite_expires_in_minutes: 'null',
  })
})

test('an unknown role gets an error that says so', async () => {
  const { owner } = await server.world()

  for (const invite_as of ['0', '-100', '500', '101', '1000'])
    refused(
      await owner.call('POST /invites', { invitee_emails: 'new@example.com', stream_ids: [], invite_as }),
      'Invalid invite_as: Value error, Not in the list of possible values',
    )
})

test('a list of integers is a JSON list that contains only integers', async () => {
  const { alice } = await server.world()

  for (const name of ['stream_ids', 'group_ids'] as const) {
    await refuses(alice, name, ['', 'x', '[1', '[01]', '1,2'], ` ${NOT_JSON}`)
    await refuses(alice, name, ['1', '"[1]"', '{}', 'true', '{"0":1}'], ' is not a list')
    await refuses(alice, name, ['["1"]', '[true]', '[1.0]', '[null]', '[[1]]'], '[0] is not an integer')
    await refuses(alice, name, ['[1,2,"3"]', '[1,2,null,"x"]', '[1,2,{}]'], '[2] is not an integer')
  }
})

test('a list of strings is a JSON list that contains only strings', async () => {
  const { alice } = await server.world()

  await refuses(alice, 'subscriptions', ['', 'pub', "['pub']", '["pub"'], ` ${NOT_JSON}`)
  await refuses(alice, 'subscriptions', ['"pub"', '5', '{}', '{"name":"pub"}', 'false'], ' is not a list')
  await refuses(alice, 'subscriptions', ['[1]', '[null]', '[["pub"]]', '[{"name":"pub"}]'], '[0] is not a string')
  await refuses(alice, 'subscriptions', ['["pub",1]', '["pub",null,1]'], '[1] is not a string')
})

test('principals are all numbers or all strings, and any error is reported for strings', async () => {
  const { alice } = await server.world()

  await refuses(alice, 'principals', ['', 'bob', '[1'], ` ${NOT_JSON}`)
  await refuses(alice, 'principals', ['5', '"bob"', '{}', 'null', 'true'], '["list[str]"] is not a list')
  await refuses(alice, 'principals', ['[1,"a"]', '[null]', '[1.5]', '[true]'], '["list[str]"][0] is not a string')
  await refuses(alice, 'principals', ['["a",1]', '["a",null,2]'], '["list[str]"][1] is not a string')
})

test('of several errors in a report, the first in order of declaration is returned', async () => {
  const { alice } = await server.world()
  const presence = 'POST /users/me/presence'
  const order = ['ping_only', 'new_user_input', 'slim_presence', 'last_update_id', 'history_limit_days']

  missing(await alice.call(presence, Object.fromEntries(order.map((name) => [name, 'x']))), 'status')
  for (const [index, name] of order.entries()) {
    const faults = Object.fromEntries(
      order
        .slice(index)
        .reverse()
        .map((each) => [each, 'x']),
    )
    refused(await alice.call(presence, { ...faults, status: 'bogus' }), `${name} ${NOT_JSON}`)
  }
})

test('of several errors in an invitation, the first in order of declaration is returned', async () => {
  const { alice } = await server.world()
  const order = [
    'invite_expires_in_minutes',
    'invite_as',
    'notify_referrer_on_join',
    'stream_ids',
    'group_ids',
    'include_realm_default_subscriptions',
  ]

  missing(await alice.call('POST /invites', Object.fromEntries(order.map((name) => [name, 'x']))), 'invitee_emails')
  for (const [index, name] of order.entries()) {
    const faults = Object.fromEntries(
      order
        .slice(index)
        .reverse()
        .map((each) => [each, 'x']),
    )
    const given = { stream_ids: [], ...faults, invitee_emails: '' }
    refused(await alice.call('POST /invites', given), `${name} ${NOT_JSON}`)
  }
  missing(await alice.call('POST /invites', { invitee_emails: '', group_ids: 'x' }), 'stream_ids')
})

test('of several errors in other calls, the first in order of declaration is returned', async () => {
  const { alice } = await server.world()

  const fetch = { allow_empty_topic_name: 'x', apply_markdown: 'x' }
  refused(await alice.call('GET /messages/1', fetch), `apply_markdown ${NOT_JSON}`)
  const leave = { principals: 'x', subscriptions: 'x' }
  refused(await alice.call('DELETE /users/me/subscriptions', leave), `subscriptions ${NOT_JSON}`)
  missing(await alice.call('DELETE /users/me/subscriptions', { principals: 'x' }), 'subscriptions')
})

test('very large numbers are refused or harmless', async () => {
  const { alice } = await server.world()
  const huge = [
    '9223372036854775807',
    '9223372036854775808',
    '-9223372036854775809',
    '9'.repeat(40),
    `-${'9'.repeat(40)}`,
  ]

  for (const number of huge) {
    for (const name of ['history_limit_days', 'last_update_id'])
      assert.ok(
        [200, 400].includes((await alice.call('POST /users/me/presence', { status: 'idle', [name]: number })).status),
      )
    const leave = { subscriptions: ['pub'], principals: `[${number}]` }
    assert.equal((await alice.call('DELETE /users/me/subscriptions', leave)).status, 400)
    for (const fault of [{ stream_ids: `[${number}]` }, { group_ids: `[${number}]` }, { invite_as: number }]) {
      const invite = { invitee_emails: 'new@example.com', stream_ids: [], ...fault }
      assert.equal((await alice.call('POST /invites', invite)).status, 400)
    }
  }
  assert.deepEqual(await server.mail(), [])
})

test('JSON can be nested at most eight levels deep, and a list can have at most a thousand items', async () => {
  const { alice } = await server.world()

  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
  assert.equal((await alice.call('DELETE /users/me/subscriptions', { subscriptions: deep })).status, 400)
  const long = Array.from({ length: 1_001 }, () => 'pub')
  assert.equal((await alice.call('DELETE /users/me/subscriptions', { subscriptions: long })).status, 400)
  const full = long.slice(1)
  const answer = await alice.call('DELETE /users/me/subscriptions', { subscriptions: full })
  assert.deepEqual(succeeded(answer).removed, ['pub'])
})

test('a list of ids may be five times as long as other lists', async () => {
  const { admin, bob } = await server.world()
  const ids = (length: number) => Array.from({ length }, () => bob.id)
  const remove = (principals: readonly (number | string)[]) =>
    admin.call('DELETE /users/me/subscriptions', { subscriptions: ['pub'], principals })
  const invite = (group_ids: readonly number[]) =>
    admin.call('POST /invites', { invitee_emails: 'new@example.com', stream_ids: [], group_ids })

  refused(await remove(ids(5_001)), 'principals has too many items (limit: 5000)')
  refused(await remove(ids(1_001).map(() => bob.email)), 'principals has too many items (limit: 1000)')
  assert.deepEqual(succeeded(await remove(ids(5_000))).removed, ['pub'])
  refused(await invite(ids(5_001)), 'group_ids has too many items (limit: 5000)')
  assert.doesNotMatch((await invite(ids(5_000))).body.msg, /too many/)
})

test('an id of any size is an integer, and very large ones match no user', async () => {
  const { alice } = await server.world()

  for (const id of ['9007199254740993', '9223372036854775808', '9'.repeat(40), '-1', '0']) {
    const [removal, removed] = CALLS.principals
    refused(await alice.call(removal, { ...removed, principals: `[${id}]` }), 'No such user')
    const [invitation, invited] = CALLS.group_ids
    refused(await alice.call(invitation, { ...invited, group_ids: `[${id}]` }), 'Invalid user group')
    const noChannel = `Invalid channel ID ${id}. No invites were sent.`
    refused(await alice.call(invitation, { ...invited, stream_ids: `[${id}]` }), noChannel)
  }
})
