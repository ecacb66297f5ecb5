import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noSignInFile } from '#lib/sign-in-file.ts'
import { Role } from '#rules/role.ts'
import { openBrowser } from '../../../test/browser.ts'
import { startChat } from '../../../test/harness.ts'
import { CLIENT, signInFileWith, startIdentityProvider } from '../../../test/identity-provider.ts'
import { keepPasswordsWithoutProviders } from '../change-realm-settings.ts'

async function start(privateHosts = ['127.0.0.1']) {
  const provider = await startIdentityProvider()
  const chat = await startChat({ settings: { OUTGOING_WEBHOOK_PRIVATE_HOSTS: privateHosts } })
  const owner = await chat.user('olga', { role: Role.owner })
  const declared = { preset: 'openid', name: 'Ours', issuer: provider.issuer, client_id: CLIENT.client_id }
  const given = { provider: declared, client_secret: CLIENT.clientSecret }
  return { provider, chat, owner, given }
}

test('an owner adds a provider, tests it, and people sign in with it', async () => {
  const { chat, owner, given } = await start()
  await chat.change({ invite_required: false })

  const { id } = await owner.succeed('POST /realm/sign_in_providers', given)

  const { checks } = await owner.succeed(`POST /realm/sign_in_providers/${id}/test`)
  assert.ok(
    checks.every((line: { is_fine: boolean }) => line.is_fine),
    JSON.stringify(checks),
  )
  const login = await openBrowser(chat).open('/login/')
  assert.match(login.text, /Continue with Ours/)
  const listed = await owner.succeed('GET /realm/sign_in_providers')
  assert.equal(listed['providers'][0].redirect_url, `http://parley.test/complete/${id}/`)
  assert.doesNotMatch(JSON.stringify(listed), /client-secret-of-tests/)
  const [row] = await chat.app.services.db.selectFrom('signInProviders').selectAll().execute()
  assert.doesNotMatch(JSON.stringify(row), /client-secret-of-tests/)

  await owner.succeed(`DELETE /realm/sign_in_providers/${id}`)
  assert.doesNotMatch((await openBrowser(chat).open('/login/')).text, /Continue with/)
})

test('a report says what is wrong with a provider', async () => {
  const { provider, owner, given } = await start()
  const { id } = await owner.succeed('POST /realm/sign_in_providers', given)
  const report = async () => (await owner.succeed(`POST /realm/sign_in_providers/${id}/test`))['checks']

  provider.answers.set('/.well-known/openid-configuration', { status: 404, body: '' })
  assert.equal((await report())[0].is_fine, false)
  provider.answers.clear()
  provider.answers.set('/keys', { body: '{"keys":[]}' })
  assert.deepEqual(
    (await report()).map((line: { check: string; is_fine: boolean }) => [line.check, line.is_fine]),
    [
      ['discovery', true],
      ['endpoints', true],
      ['keys', false],
      ['pkce', true],
    ],
  )
})

test('providers of owners never reach private networks', async () => {
  const { owner, given, provider } = await start([])
  const { id } = await owner.succeed('POST /realm/sign_in_providers', given)

  const { checks } = await owner.succeed(`POST /realm/sign_in_providers/${id}/test`)

  assert.deepEqual(checks, [{ check: 'discovery', is_fine: false, detail: 'unreachable: forbidden' }])
  assert.equal(provider.tokenRequests.length, 0)
})

test('only owners manage providers, unless the operator forbids it, and settings are checked', async () => {
  const { chat, owner, given } = await start()
  const administrator = await chat.user('ben', { role: Role.administrator })
  const { id } = await owner.succeed('POST /realm/sign_in_providers', given)

  for (const [route, params] of [
    ['GET /realm/sign_in_providers', {}],
    ['POST /realm/sign_in_providers', given],
    [`PATCH /realm/sign_in_providers/${id}`, given],
    [`DELETE /realm/sign_in_providers/${id}`, {}],
    [`POST /realm/sign_in_providers/${id}/test`, {}],
  ] as const)
    assert.equal((await administrator.call(route, params)).msg, 'Must be an organization owner', route)

  const problems: [object, RegExp][] = [
    [{ preset: 'keycloak', client_id: 'x' }, /issuer/],
    [{ preset: 'google', client_id: 'x', roles: { admins: 'owner' }, groups_claim: 'groups' }, /roles/],
    [{ preset: 'microsoft', client_id: 'x', issuer: 'https://login.microsoftonline.com/common/v2.0' }, /tenant/],
    [{ preset: 'google', client_id: 'x', unknown: true }, /nrecognized/],
  ]
  for (const [provider, text] of problems)
    assert.match((await owner.call('POST /realm/sign_in_providers', { ...given, provider })).msg, text)

  chat.settings.SIGN_IN_FILE = { ...noSignInFile, ownersMayAddProviders: false }
  assert.match((await owner.call('POST /realm/sign_in_providers', given)).msg, /does not allow/)
  assert.doesNotMatch((await openBrowser(chat).open('/login/')).text, /Continue with/)
})

test('passwords that are on because no other method is left stay on when the operator adds one', async () => {
  const { chat, owner, given, provider } = await start()
  const { transaction } = chat.app.services
  const declared = signInFileWith(provider)
  const none = { ...declared, providers: [] }
  const off = { authentication_methods: { Email: false } }
  const isPasswordEnabled = async () => (await owner.succeed('GET /realm/sign_in_providers'))['is_password_enabled']
  const addAndRemove = async () => {
    chat.settings.SIGN_IN_FILE = declared
    const isEnabled = await isPasswordEnabled()
    chat.settings.SIGN_IN_FILE = none
    return isEnabled
  }

  assert.match((await owner.call('PATCH /realm', off)).msg, /Sign in once with another method/)
  assert.equal(await addAndRemove(), true, 'nobody could turn passwords off')

  const { id } = await owner.succeed('POST /realm/sign_in_providers', given)
  await chat.change(off)
  await owner.succeed('PATCH /realm', { authentication_methods: { 'OpenID Connect': false } })
  await owner.succeed('PATCH /realm', { authentication_methods: { 'OpenID Connect': true } })
  assert.equal(await isPasswordEnabled(), true, 'the last method was turned off')

  await chat.change(off)
  await owner.succeed(`DELETE /realm/sign_in_providers/${id}`)
  assert.equal(await addAndRemove(), true, 'the last provider was removed')

  await chat.change(off)
  await transaction(keepPasswordsWithoutProviders)
  assert.equal(await addAndRemove(), true, 'the operator had removed the last provider before the start')

  chat.settings.SIGN_IN_FILE = declared
  await chat.change(off)
  await transaction(keepPasswordsWithoutProviders)
  assert.equal(await isPasswordEnabled(), false, 'the choice stays while there is a provider')
})

test('a new provider does not turn passwords off that were on because no other method was left', async () => {
  const { chat, owner, given } = await start()
  await chat.change({ authentication_methods: { Email: false } })
  const isPasswordEnabled = async () => (await owner.succeed('GET /realm/sign_in_providers'))['is_password_enabled']
  assert.equal(await isPasswordEnabled(), true)

  await owner.succeed('POST /realm/sign_in_providers', given)

  assert.equal(await isPasswordEnabled(), true)
  assert.match((await openBrowser(chat).open('/login/')).body, /type="password"/)
})
