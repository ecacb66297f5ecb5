import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
// @ts-expect-error: the package has no types
import { Provider } from 'oidc-provider'
import { signInFileWith } from '../identity-provider.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

test('a new person signs in with another provider, from the first click to the messages', async () => {
  const stage = await openStage()
  await stage.chat.change({ invite_required: false })
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const file = signInFileWith({ issuer })
  const [{ client_id, clientSecret } = { client_id: '', clientSecret: '' }] = file.providers
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id,
        client_secret: clientSecret,
        redirect_uris: [`${stage.url}/complete/sso/`],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id, email: `${id}@example.com`, email_verified: true, name: 'Grace Hopper' }),
    }),
    pkce: { required: () => true },
    cookies: { keys: ['a key for cookies in tests'] },
  })
  server.on('request', provider.callback())
  stage.chat.settings.SIGN_IN_FILE = file

  const page = await stage.openWindow()
  await page.goto('/login/')
  await page.getByRole('link', { name: 'Continue with Example SSO' }).click()
  await page.locator('[name=login]').fill('grace')
  await page.locator('[name=password]').fill('anything')
  await page.locator('[type=submit]').click()
  await page.locator('[type=submit]').click()

  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  const users = await stage.chat.app.services.db.selectFrom('users').select('fullName').execute()
  assert.ok(users.some(({ fullName }) => fullName === 'Grace Hopper'))

  await page.goto('/settings/security')
  await page.getByRole('button', { name: 'Disconnect Example SSO' }).click()
  await page.getByRole('button', { name: 'Disconnect', exact: true }).click()
  await page.getByRole('paragraph').filter({ hasText: 'You sign in with this account alone' }).waitFor()
  assert.deepEqual(await inspect(page, 'connected-accounts'), [])
  await stage.close()
  server.closeAllConnections()
  server.close()
})
