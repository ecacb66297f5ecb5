import assert from 'node:assert/strict'
import { test } from 'node:test'
import { trustBrowser } from '#people/second-factors.ts'
import { createAuthenticator } from '../../../test/authenticator.ts'
import {
  addApp,
  type Browser,
  openBrowser,
  PASSWORD,
  signIn,
  startWithPassword,
  submitPassword,
} from '../../../test/browser.ts'
import type { Chat, Person } from '../../../test/harness.ts'

const EXTERNAL_URL = 'https://parley.test'

type Options = Record<string, unknown>

const optionsFor = async (browser: Browser, purpose: string): Promise<Options> =>
  (await browser.call('POST /users/me/passkeys/challenge', { purpose }))['options']

/** Starts a server at an https address with Ada, who has a passkey. */
async function startWithPasskey() {
  const { chat, ada } = await startWithPassword({ settings: { EXTERNAL_URL } })
  const first = await signIn(chat, ada)
  const authenticator = createAuthenticator()
  const passkey = authenticator.register(await optionsFor(first, 'register'))
  const added = await first.call('POST /users/me/passkeys', { passkey, name: 'Laptop' })
  assert.equal(added['status'], 200, added['msg'])
  return { chat, ada, first, authenticator, passkey, id: added['id'] as number, codes: added['recovery_codes'] }
}

/** Returns the options that the login page, or the page for the second factor, gets for a passkey. */
const loginOptions = async (browser: Browser, of = ''): Promise<Options> =>
  JSON.parse((await browser.open(`/login/passkey/${of}`)).body)

/** Submits the form of a passkey. Returns the path of the page that follows. */
async function submitPasskey(chat: Chat, browser: Browser, action: string, passkey: string, next = '/') {
  const cookie = Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join('; ')
  const answer = await chat.request({
    method: 'POST',
    path: action,
    headers: {
      ...{ host: 'parley.test', origin: EXTERNAL_URL, 'sec-fetch-site': 'same-origin', cookie },
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ passkey, next }).toString(),
  })
  return { status: answer.status, to: String(answer.headers['location'] ?? '') }
}

const signInBy = async (chat: Chat, passkey: string, next = '/') =>
  (await submitPasskey(chat, openBrowser(chat), '/login/passkey/', passkey, next)).to

const REFUSED = '/login/?passkey_refused=1&next=%2F'

test('a passkey signs in without a password, and leads to the requested page of this server only', async () => {
  const { chat, authenticator, first } = await startWithPasskey()
  const sign = async () => authenticator.sign(await loginOptions(openBrowser(chat)))

  const requested = await signInBy(chat, await sign(), '/channels/5')
  const elsewhere = await signInBy(chat, await sign(), '//evil.example/')
  const { passkeys } = await first.call('GET /users/me/second_factors')

  assert.deepEqual([requested, elsewhere], ['/channels/5', '/'])
  assert.equal(passkeys[0].last_used_at, Math.floor(chat.clock.now()))
})

test('a response is refused if it is used again, expired, of another origin, host or user, copied, or unverified', async () => {
  const { chat, authenticator, ada } = await startWithPasskey()
  const options = () => loginOptions(openBrowser(chat))
  const confirming = await optionsFor(await signInWith(chat, ada, authenticator), 'confirm')
  const used = authenticator.sign(await options())
  const late = authenticator.sign(await options())

  assert.equal(await signInBy(chat, used), '/')
  const refused: Record<string, string> = {
    replayed: used,
    'of another origin': authenticator.sign(await options(), { origin: 'https://evil.example' }),
    'of another host': authenticator.sign(await options(), { rpId: 'evil.example' }),
    'without a verified user': authenticator.sign(await options(), { verifiesUser: false }),
    'of an unknown passkey': createAuthenticator().sign(await options()),
    'for a confirmation': authenticator.sign(confirming),
    'for an invented challenge': authenticator.sign({ challenge: 'AAAA' }),
    'that is no response': '{}',
    'that is no JSON': 'x',
    'of a copied passkey': authenticator.sign(await options(), { counter: 1 }),
  }
  for (const [title, passkey] of Object.entries(refused)) assert.equal(await signInBy(chat, passkey), REFUSED, title)
  await chat.clock.advance(301)
  assert.equal(await signInBy(chat, late), REFUSED, 'expired')
})

/** Signs in with the password and the passkey as second factor. */
async function signInWith(chat: Chat, { email }: Person, authenticator: ReturnType<typeof createAuthenticator>) {
  const browser = openBrowser(chat)
  await browser.open('/login/')
  await browser.submit({ email, password: PASSWORD })
  const passkey = authenticator.sign(await loginOptions(browser, '?second_factor=1'), {
    verifiesUser: false,
    counter: 100,
  })
  await browser.open('/login/second-factor/')
  const page = await browser.submit({ passkey })
  assert.equal(page.path, '/')
  return browser
}

test('a passkey is a second factor after the password, even without a verified user, and confirms a session', async () => {
  const { chat, ada, authenticator } = await startWithPasskey()

  const browser = await signInWith(chat, ada, authenticator)
  await chat.clock.advance(601)
  const refused = await browser.call('POST /users/me/recovery_codes')
  const passkey = authenticator.sign(await optionsFor(browser, 'confirm'))
  const confirmed = await browser.call('POST /users/me/confirmation', { passkey })
  const again = await browser.call('POST /users/me/confirmation', { passkey })
  const done = await browser.call('POST /users/me/recovery_codes')

  assert.deepEqual(
    [refused, confirmed, again, done].map(({ status }) => status),
    [400, 200, 400, 200],
  )
})

test('a passkey of another organization or user proves nothing', async () => {
  const { chat, ada, authenticator } = await startWithPasskey()
  const other = await chat.organization('other')
  const eve = await chat.user('eve', { realm: other })
  const ben = await chat.user('ben')
  const host = 'other.parley.test'
  const there = await signIn(chat, eve, { host })
  const ofEve = createAuthenticator(`https://${host}`)
  const passkey = ofEve.register(await optionsFor(there, 'register'))
  await there.call('POST /users/me/passkeys', { passkey, name: 'Eve' })
  const ofBen = createAuthenticator()
  const withBen = await signIn(chat, ben)
  await withBen.call('POST /users/me/passkeys', {
    ...{ passkey: ofBen.register(await optionsFor(withBen, 'register')), name: 'Ben' },
  })

  const here = await loginOptions(openBrowser(chat))
  const foreign = await signInBy(chat, ofEve.sign(here, { origin: EXTERNAL_URL, rpId: 'parley.test' }))
  const browser = openBrowser(chat)
  await browser.open('/login/')
  await browser.submit({ email: ada.email, password: PASSWORD })
  const options = await loginOptions(browser, '?second_factor=1')
  const byBen = await submitPasskey(chat, browser, '/login/second-factor/', ofBen.sign(options))
  const byAda = await submitPasskey(chat, browser, '/login/second-factor/', authenticator.sign(options))

  assert.equal(foreign, REFUSED)
  assert.deepEqual([byBen.status, byAda.to], [400, '/'])
})

test('a passkey is registered once, for the user who asked, from the address of the organization', async () => {
  const { chat, first, passkey, authenticator } = await startWithPasskey()
  const ben = await chat.user('ben')
  await submitPassword(chat, ben)
  const other = await signIn(chat, ben)
  const add = async (browser: Browser, response: string) =>
    (await browser.call('POST /users/me/passkeys', { passkey: response, name: 'Mine' })).status

  const replayed = await add(first, passkey)
  const taken = await add(first, authenticator.register(await optionsFor(first, 'register')))
  const ofOther = await add(other, createAuthenticator().register(await optionsFor(first, 'register')))
  const evil = createAuthenticator().register(await optionsFor(first, 'register'), { origin: 'https://evil.example' })
  const phished = await add(first, evil)

  assert.deepEqual([replayed, taken, ofOther, phished], [400, 400, 400, 400])
})

test('passkeys are renamed and removed, and the last one takes the recovery codes with it', async () => {
  const { chat, ada, first, id, codes } = await startWithPasskey()
  await first.call(`PATCH /users/me/passkeys/${id}`, { name: 'Key ring' })
  const renamed = await first.call('GET /users/me/second_factors')

  const removed = await first.call(`DELETE /users/me/passkeys/${id}`)
  const left = await first.call('GET /users/me/second_factors')

  assert.equal(codes.length, 10)
  assert.equal(renamed['passkeys'][0].name, 'Key ring')
  assert.equal(removed['status'], 200)
  assert.deepEqual([left['passkeys'], left['recovery_codes_left']], [[], 0])
  const mail = await chat.mail()
  assert.deepEqual(
    mail.map(({ to, subject }) => [to[0], subject]),
    [
      [ada.email, 'A passkey was added at Example'],
      [ada.email, 'A passkey was removed at Example'],
    ],
  )
})

test('another factor adds no recovery codes, and each added or removed one forgets the trusted browsers', async () => {
  const { chat, ada, first, id } = await startWithPasskey()
  const trust = () => chat.app.services.transaction((tx) => trustBrowser(tx, ada.id, ''))
  const factors = async () => {
    const { trusted_browsers, recovery_codes_left } = await first.call('GET /users/me/second_factors')
    return [trusted_browsers.length, recovery_codes_left]
  }

  await trust()
  const before = await factors()
  const { codes } = await addApp(chat, first)
  const added = await factors()
  await trust()
  await first.call(`DELETE /users/me/passkeys/${id}`)

  assert.equal(codes, null)
  assert.deepEqual(
    [before, added, await factors()],
    [
      [1, 10],
      [0, 10],
      [0, 10],
    ],
  )
})

test('without https, no passkeys are offered', async () => {
  const { chat, ada } = await startWithPassword()
  const browser = await signIn(chat, ada)

  const refused = await browser.call('POST /users/me/passkeys/challenge', { purpose: 'register' })
  const page = await openBrowser(chat).open('/login/')

  assert.equal(refused['status'], 400)
  assert.doesNotMatch(page.text, /Use a passkey/)
})
