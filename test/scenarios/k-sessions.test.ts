import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode } from './answers.ts'
import { startServer } from './server.ts'
import type { Answer } from './wire.ts'
import type { Person, World } from './world.ts'

const server = await startServer()
await server.freeze()

/** Logs in as a client that keeps cookies and sends no Origin; returns its cookie. */
async function logIn({ host }: World, { email, password }: Pick<Person, 'email' | 'password'>): Promise<string> {
  const form = encode({ email, password })
  const { status, headers, text } = await server.request({ method: 'POST', path: '/login/', host, form })
  assert.deepEqual([status, headers.location], [302, '/'], text)
  return headers['set-cookie']?.[0]?.split(';')[0] ?? assert.fail('no cookie')
}

const own = ({ host }: World, cookie: string): Promise<Answer> =>
  server.request({ method: 'GET', path: '/json/users/me', host, headers: { cookie } })

/** Returns the token that a logged-in user's page sends with its calls. */
async function tokenOf({ host }: World, cookie: string): Promise<string> {
  const { text } = await server.request({ method: 'GET', path: '/', host, headers: { cookie } })
  return /name="csrf[-_]token" (?:content|value)="([^"]+)"/.exec(text)?.[1] ?? assert.fail(text)
}

const change = ({ host }: World, headers: Record<string, string>) =>
  server.request({ method: 'PATCH', path: '/json/settings', host, headers, form: encode({ full_name: 'Alicia' }) })

const wordsOf = ({ status, body }: Answer) => [status, body?.code, body?.msg]

test('every call with an API key is possible with a session, with the token of its page for changes', async () => {
  const world = await server.world()
  const cookie = await logIn(world, world.alice)

  const me = await own(world, cookie)
  const without = await change(world, { cookie })
  const changed = await change(world, { cookie, 'x-csrftoken': await tokenOf(world, cookie) })

  assert.equal(me.body.user_id, world.alice.id)
  assert.deepEqual(wordsOf(without), [403, 'CSRF_FAILED', 'CSRF error: The CSRF token is missing.'])
  assert.equal(changed.status, 200)
  assert.equal((await own(world, cookie)).body.full_name, 'Alicia')
})

test('a session works only under /json, an API key only under /api', async () => {
  const [world, other] = [await server.world({ subdomain: 'one' }), await server.world({ subdomain: 'two' })]
  const cookie = await logIn(world, world.alice)
  const authorization = `Basic ${Buffer.from(`${world.alice.email}:${world.alice.apiKey}`).toString('base64')}`
  const get = (path: string, host: string, headers: Record<string, string>) =>
    server.request({ method: 'GET', path, host, headers })

  const refused = [
    await get('/api/v1/users/me', world.host, { cookie }),
    await get('/json/users/me', world.host, { authorization }),
    await own(other, cookie),
  ]

  for (const answer of refused)
    assert.deepEqual(wordsOf(answer), [
      401,
      'UNAUTHORIZED',
      'Not logged in: API authentication or user session required',
    ])
})

test('deactivating an account or changing its password ends its sessions and the waiting poll', async () => {
  const world = await server.world()
  const [alice, bob] = [await logIn(world, world.alice), await logIn(world, world.bob)]
  const csrf = { cookie: alice, 'x-csrftoken': await tokenOf(world, alice) }
  const { host } = world
  const queue = await server.request({ method: 'POST', path: '/json/register', host, headers: csrf, form: '' })
  const { queue_id } = queue.body
  const path = `/json/events?${encode({ queue_id, last_event_id: -1 })}`
  const poll = server.request({ method: 'GET', path, host, headers: { cookie: alice } })

  await world.changeUser(world.alice, { is_active: false })
  await world.bob.succeed('PATCH /settings', { old_password: world.bob.password, new_password: 'a garden of stones' })

  assert.deepEqual([(await poll).status, (await own(world, alice)).status], [401, 401])
  assert.equal((await own(world, bob)).status, 401)
})

test('a wrong password, an unknown address and a deactivated account get the same error', async () => {
  const world = await server.world()
  const { host, alice, deactivated } = world
  const attempt = async (email: string, password: string) => {
    const { status, text } = await server.request({
      method: 'POST',
      path: '/login/',
      host,
      form: encode({ email, password }),
    })
    return [status, text.replaceAll(email, 'EMAIL').replaceAll(encodeURIComponent(email), 'EMAIL')]
  }

  const answers = [
    await attempt(alice.email, 'a wrong password'),
    await attempt('nobody@example.com', alice.password),
    await attempt(deactivated.email, deactivated.password),
  ]

  assert.equal(answers[0]?.[0], 400)
  assert.deepEqual(answers.slice(1), [answers[0], answers[0]])
})

test('a forgotten password is replaced with the link in the email, once', async () => {
  const world = await server.world()
  const { host, alice } = world
  const cookie = await logIn(world, alice)

  await server.request({
    method: 'POST',
    path: '/accounts/password/reset/',
    host,
    form: encode({ email: alice.email }),
  })
  const text = (await server.mail(alice.email)).at(-1)?.text ?? ''
  const path = /(\/accounts\/password\/reset\/[\w.-]+\/)/.exec(text)?.[1] ?? assert.fail(text)
  const set = () => server.request({ method: 'POST', path, host, form: encode({ password: 'a garden of stones' }) })
  const [first, second] = [await set(), await set()]

  assert.deepEqual([first.status, second.status], [302, 404])
  assert.equal((await own(world, cookie)).status, 401)
  await logIn(world, { email: alice.email, password: 'a garden of stones' })
})
