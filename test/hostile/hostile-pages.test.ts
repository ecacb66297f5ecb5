import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Page } from '../../server/http/pages/page.ts'
import { passwordResetKey } from '../../server/people/users/passwords/password-reset.ts'
import { Role } from '../../server/people/users/role.ts'
import { hashSecret } from '../../server/platform/security/secrets.ts'
import { site } from '../../server/site.ts'
import { type Browser, signIn } from '../browser.ts'
import { type Chat, startChat } from '../harness.ts'
import { keyOfLink } from '../joining.ts'
import { sized } from '../size.ts'
import { oddText } from './hostile-requests.ts'

const RUNS = sized(5, 20)
const REQUESTS_A_RUN = 150
const SETUP_TOKEN = 'the-set-up'
/** Stands for the key of a reusable link in fields. */
const LINK_KEY = 'the key of the link'

/** What fields are good for; all others get odd texts alone. */
const meaningful: Record<string, string[]> = {
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
  const meant = meaningful[name]
  return meant === undefined ? oddText : fc.oneof(fc.constantFrom(...meant), oddText)
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
        values.flatMap((value, at): [string, string][] => (value === null ? [] : [[page.fields[at] ?? '', value]])),
      ),
    query: fc.array(fc.tuple(fc.constantFrom('email', 'next', 'x'), oddText), { maxLength: 2 }),
    isSignedIn: fc.boolean(),
    isForged: fc.boolean(),
    from: fc.constantFrom<Record<string, string>[]>({}, {}, { 'sec-fetch-site': 'same-origin' }, { origin: 'null' }),
  })
}

/** The keys that are good, by the beginning of the paths that take them. */
async function openDoors(chat: Chat, userId: number, linkKey: string): Promise<[string, string][]> {
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

type Stage = { chat: Chat; browser: Browser; csrfToken: string; linkKey: string; doors: [string, string][] }

async function send({ chat, browser, csrfToken, linkKey, doors }: Stage, request: PageRequest): Promise<void> {
  const known = doors.find(([start]) => request.path.startsWith(start))?.[1] ?? 'x'
  const path = request.path.replace('{key}', () => encodeURIComponent((request.key ?? known).toWellFormed()))
  const query = new URLSearchParams(request.query).toString()
  const [cookie = ''] = [...browser.cookies].map(([name, value]) => `${name}=${value}`)
  const fields = request.fields.map(([name, value]) => [name, value === LINK_KEY ? linkKey : value])
  const form = [...fields, ['csrf_token', request.isForged ? 'x' : csrfToken]]
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD'

  const answer = await chat.request({
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

  const what = `${request.method} ${path}: ${answer.status}`
  assert(answer.status < 500, `${what} ${answer.body}`)
  if (answer.status === 302) return assert.match(String(answer.headers['location']), /^\/(?!\/)/, what)
  // Beyond the limits of the wire nobody knows yet that a page is wanted.
  if (answer.headers['content-type'] === 'application/json')
    return assert([400, 413, 414].includes(answer.status), what)
  assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8', what)
  assert.match(String(answer.headers['content-security-policy']), /^default-src 'none'/, what)
  assert.doesNotMatch(answer.body, /<script>alert/, what)
}

test('whatever a form sends, a page answers that holds nothing but our own HTML', async (context) => {
  const runs = process.env['PARLEY_TEST_POSTGRES'] === undefined ? RUNS : Math.ceil(RUNS / 5)
  const requests = fc.oneof(...site.map(requestTo))
  let sent = 0

  await fc.assert(
    fc.asyncProperty(fc.array(requests, { minLength: REQUESTS_A_RUN, maxLength: REQUESTS_A_RUN }), async (sequence) => {
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
        doors: await openDoors(chat, ada.id, linkKey),
      }
      for (const request of sequence) {
        await send(stage, request)
        sent += 1
      }
      await ben.succeed('GET /users/me')
    }),
    { numRuns: runs, endOnFailure: true },
  )

  context.diagnostic(`${sent} requests to ${site.length} pages`)
})
