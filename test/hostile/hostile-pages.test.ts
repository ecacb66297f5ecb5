import assert from 'node:assert/strict'
import { test } from 'node:test'
import { passwordResetKey } from '#accounts/reset-password.ts'
import type { Page } from '#http/pages.ts'
import { redactedPath } from '#http/wire/request.ts'
import { hashSecret } from '#lib/secrets.ts'
import { Role } from '#rules/role.ts'
import { site } from '#site/site.ts'
import { type Browser, signIn } from '../browser.ts'
import { fc } from '../fast-check.ts'
import { type Chat, startChat } from '../harness.ts'
import { keyOfLink } from '../joining.ts'
import { sized } from '../size.ts'
import { oddText } from './hostile-requests.ts'

const RUNS = sized(5, 20)
const REQUESTS_PER_RUN = 150
const SETUP_TOKEN = 'the-set-up'
/** A placeholder for the key of a reusable invitation link. */
const LINK_KEY = 'the key of the link'

/** Valid values of form fields. Other fields get only odd strings. */
const validValues: Record<string, string[]> = {
  key: [LINK_KEY, LINK_KEY],
  email: ['new@example.com', 'ada@example.com', 'ADA@EXAMPLE.COM', 'nobody@example.com'],
  password: ['correct horse', 'another horse'],
  full_name: ['Ada', 'Some One'],
  name: ['Example'],
  next: ['/', '/channels/5', '//evil.test', '/.//evil.test'],
  joining: ['mail', 'links'],
  more: ['design, help', 'a,b,c'],
  keep: ['on', ''],
  announcements: ['on', ''],
  timezone: ['Europe/Vienna', ''],
}

type PageRequest = {
  method: string
  path: string
  key: string | null
  fields: [string, string][]
  query: [string, string][]
  isSignedIn: boolean
  isForged: boolean
  from: Record<string, string>
}

function fieldValue(name: string): fc.Arbitrary<string> {
  const valid = validValues[name]
  return valid === undefined ? oddText : fc.oneof(fc.constantFrom(...valid), oddText)
}

function requestTo(page: Page): fc.Arbitrary<PageRequest> {
  const fields = page.fields.map((name) => fc.option(fieldValue(name), { freq: 6 }))
  return fc.record({
    method: fc.oneof(
      { weight: 12, arbitrary: fc.constant(page.method) },
      fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'),
    ),
    path: fc.constantFrom(page.path, page.path, page.path.replace(/\/$/, '')),
    key: fc.option(oddText, { freq: 1 }),
    fields: fc
      .tuple(...fields)
      .map((values) =>
        values.flatMap((value, index): [string, string][] =>
          value === null ? [] : [[page.fields[index] ?? '', value]],
        ),
      ),
    query: fc.array(fc.tuple(fc.constantFrom('email', 'next', 'x'), oddText), { maxLength: 2 }),
    isSignedIn: fc.boolean(),
    isForged: fc.boolean(),
    from: fc.constantFrom<Record<string, string>[]>({}, {}, { 'sec-fetch-site': 'same-origin' }, { origin: 'null' }),
  })
}

/** Creates valid keys and returns them by the prefix of the path that accepts them. */
async function createKeys(chat: Chat, userId: number, linkKey: string): Promise<[string, string][]> {
  const { transaction, secret } = chat.app.services
  const draft = {
    organization: { name: 'Late', subdomain: 'late' },
    owner: { fullName: 'Ada', email: 'ada@example.com', timezone: '', passwordHash: 'x' },
    joining: 'mail',
  }
  await transaction((tx) =>
    tx
      .insertInto('setupLinks')
      .values({ hash: hashSecret(SETUP_TOKEN), expiresAt: tx.now + 86_400, draft: JSON.stringify(draft) })
      .execute(),
  )
  const { passwordHash } = await chat.app.services.db
    .selectFrom('users')
    .select('passwordHash')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  const reset = { userId, expiresAt: chat.clock.now() + 3600 }
  const resetKey = passwordResetKey(secret, reset, { user: { deliveryEmail: 'ada@example.com' }, passwordHash })
  return [
    ['/new/', SETUP_TOKEN],
    ['/accounts/password/reset/', resetKey],
    ['/join/', linkKey],
  ]
}

type Stage = { chat: Chat; browser: Browser; csrfToken: string; linkKey: string; keys: [string, string][] }

/** The address at which the scripts of pages fetch what the browser signs with a passkey. */
const PASSKEY_OPTIONS = '/login/passkey/'

async function send({ chat, browser, csrfToken, linkKey, keys }: Stage, request: PageRequest): Promise<void> {
  const validKey = keys.find(([start]) => request.path.startsWith(start))?.[1] ?? 'x'
  const path = request.path.replace('{key}', () => encodeURIComponent((request.key ?? validKey).toWellFormed()))
  const query = new URLSearchParams(request.query).toString()
  const [cookie = ''] = [...browser.cookies].map(([name, value]) => `${name}=${value}`)
  const fields = request.fields.map(([name, value]) => [name, value === LINK_KEY ? linkKey : value])
  const form = [...fields, ['csrf_token', request.isForged ? 'x' : csrfToken]]
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD'

  const response = await chat.request({
    method: request.method,
    path: query === '' ? path : `${path}?${query}`,
    headers: {
      host: 'parley.test',
      accept: 'text/html',
      ...(request.isSignedIn && { cookie }),
      ...request.from,
      ...(hasBody && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(hasBody && { body: new URLSearchParams(form).toString() }),
  })

  const context = `${request.method} ${path}: ${response.status}`
  assert(response.status < 500, `${context} ${response.body}`)
  if (response.status === 302) return assert.match(String(response.headers['location']), /^\/(?!\/)/, context)
  if (request.path === PASSKEY_OPTIONS && response.status === 200)
    return void (request.method === 'HEAD' || JSON.parse(response.body))
  // Requests beyond the limits of HTTP are refused before the page is known.
  if (response.headers['content-type'] === 'application/json')
    return assert([400, 413, 414].includes(response.status), context)
  // Plain text runs no scripts, as long as browsers take it for that.
  if (String(response.headers['content-type']).startsWith('text/plain'))
    return assert.equal(response.headers['x-content-type-options'], 'nosniff', context)
  assert.equal(response.headers['content-type'], 'text/html; charset=utf-8', context)
  assert.match(String(response.headers['content-security-policy']), /^default-src 'none'/, context)
  assert.doesNotMatch(response.body, /<script>alert/, context)
}

test('hostile form requests get pages without injected HTML', async (context) => {
  const runs = process.env['PARLEY_TEST_POSTGRES'] === undefined ? RUNS : Math.ceil(RUNS / 5)
  const requests = fc.oneof(...site.map(requestTo))
  let sent = 0

  await fc.assert(
    fc.asyncProperty(
      fc.array(requests, { minLength: REQUESTS_PER_RUN, maxLength: REQUESTS_PER_RUN }),
      async (sequence) => {
        const chat = await startChat({ settings: { LOG_LEVEL: 'silent' } })
        const ada = await chat.user('ada')
        const ben = await chat.user('ben')
        const linkKey = await keyOfLink(await chat.user('olga', { role: Role.owner }))
        const browser = await signIn(chat, ada)
        const stage = {
          chat,
          browser,
          csrfToken: await browser.csrfToken(),
          linkKey,
          keys: await createKeys(chat, ada.id, linkKey),
        }
        for (const request of sequence) {
          await send(stage, request)
          sent += 1
        }
        await ben.succeed('GET /users/me')
      },
    ),
    { numRuns: runs, endOnFailure: true },
  )

  context.diagnostic(`${sent} requests to ${site.length} pages`)
})

test('the log leaves out the keys in the addresses of all pages', () => {
  const paths = site.map(({ path }) => path).filter((path) => path.includes('{key}'))

  const logged = paths.map((path) => redactedPath(path.replace('{key}', 'a-secret')))

  assert(paths.length > 10)
  assert.deepEqual(
    logged.filter((path) => path.includes('a-secret')),
    [],
  )
})
