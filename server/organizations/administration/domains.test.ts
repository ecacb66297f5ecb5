import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRealm } from '#realms/queries.ts'
import { Role } from '#rules/role.ts'
import { startChat } from '../../../test/harness.ts'

test('an owner can change the allowed domains, and everyone sees the changes', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')

  await ada.succeed('POST /realm/domains', { domain: ' Acme.example', allow_subdomains: true })
  await ada.succeed('POST /realm/domains', { domain: 'b.example' })
  await ada.succeed('PATCH /realm/domains/acme.example', { allow_subdomains: false })
  await ada.succeed('PATCH /realm/domains/acme.example', { allow_subdomains: false })
  await ada.succeed('DELETE /realm/domains/B.example')

  const listed = await ben.succeed('GET /realm/domains')
  assert.deepEqual(listed['domains'], [{ domain: 'acme.example', allow_subdomains: false }])
  assert.deepEqual(await chat.eventsOf(ben), [
    { type: 'realm_domains', op: 'add', realm_domain: { domain: 'acme.example', allow_subdomains: true } },
    { type: 'realm_domains', op: 'add', realm_domain: { domain: 'b.example', allow_subdomains: false } },
    { type: 'realm_domains', op: 'change', realm_domain: { domain: 'acme.example', allow_subdomains: false } },
    { type: 'realm_domains', op: 'remove', domain: 'b.example' },
  ])
})

test('removing the last domain lifts the restriction to domains', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const isRestricted = async () =>
    (await findRealm(chat.app.services.db, chat.realm.id))?.settings.emails_restricted_to_domains
  await ada.succeed('POST /realm/domains', { domain: 'a.example' })
  await ada.succeed('POST /realm/domains', { domain: 'b.example' })
  await ada.succeed('PATCH /realm', { emails_restricted_to_domains: true })

  await ada.succeed('DELETE /realm/domains/a.example')
  const withOne = await isRestricted()
  await ada.succeed('DELETE /realm/domains/b.example')

  assert.equal(withOne, true)
  assert.equal(await isRestricted(), false)
  assert.deepEqual((await chat.eventsOf(ada)).at(-1), {
    type: 'realm',
    op: 'update',
    property: 'emails_restricted_to_domains',
    value: false,
  })
})

test('invalid and existing domains are refused', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  await ada.succeed('POST /realm/domains', { domain: 'acme.example' })
  const refusals = {
    ' ': "Invalid domain: Domain can't be empty.",
    localhost: 'Invalid domain: Domain must have at least one dot (.)',
    [`${'a'.repeat(255)}.b`]: 'Invalid domain: Domain is too long.',
    'ACME.example': 'The domain acme.example is already a part of your organization.',
  }

  for (const [domain, msg] of Object.entries(refusals))
    assert.equal((await ada.call('POST /realm/domains', { domain })).msg, msg)
  for (const domain of ['.a.b', 'a..b', 'a.b.', '-a.b', 'a.b-', 'a b.c', 'a@b.c', 'ä.b', 'a.b\0'])
    assert.match(
      (await ada.call('POST /realm/domains', { domain })).msg,
      /^Invalid domain: Domain can only have/,
      domain,
    )
})

test('only owners can change domains', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ann = await chat.user('ann', { role: Role.administrator })
  await ada.succeed('POST /realm/domains', { domain: 'acme.example' })

  for (const [route, params] of [
    ['POST /realm/domains', { domain: 'b.example' }],
    ['PATCH /realm/domains/acme.example', { allow_subdomains: true }],
    ['DELETE /realm/domains/acme.example', {}],
  ] as const)
    assert.equal((await ann.call(route, params)).msg, 'Must be an organization owner')
  const unknown = await ada.call('DELETE /realm/domains/nowhere.example')
  assert.equal(unknown.msg, 'No entry found for domain nowhere.example.')
})
