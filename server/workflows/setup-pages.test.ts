import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Settings } from '#config.ts'
import { ensureSystemBots } from '#people/bots.ts'
import { emptyDatabase } from '#storage/copy.ts'
import { type Browser, openBrowser, type View } from '../../test/browser.ts'
import { type Chat, startChat } from '../../test/harness.ts'
import { issueSetupLink, SETUP_VALIDITY } from './set-up-organization.ts'

/** Starts a server without any organization, and a browser. */
async function startEmpty(settings: Partial<Settings> = {}) {
  const chat = await startChat({ settings })
  const { transaction } = chat.app.services
  await transaction(async (tx) => {
    await emptyDatabase(tx)
    await ensureSystemBots(tx)
  })
  const newLink = async () => new URL((await transaction(issueSetupLink)) ?? assert.fail('no link')).pathname
  return { chat, browser: openBrowser(chat), newLink }
}

const owner = { full_name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse' }

async function answerAll(browser: Browser, link: string, name = 'Example'): Promise<View> {
  await browser.open(link)
  await browser.submit({ name })
  await browser.submit({ ...owner, timezone: 'Europe/Vienna' })
  await browser.submit({ joining: 'mail' })
  return browser.submit()
}

const realmsOf = ({ app }: Chat) => app.services.db.selectFrom('realms').selectAll().orderBy('id').execute()

test('four steps lead from the setup link to an organization with a logged-in owner', async () => {
  const { browser, newLink } = await startEmpty()
  const link = await newLink()

  const first = await browser.open(link)
  const second = await browser.submit({ name: ' Example ' })
  const third = await browser.submit({ ...owner, timezone: 'Europe/Vienna' })
  const fourth = await browser.submit({ joining: 'links' })
  const home = await browser.submit({ help: 'on', more: 'Design, HELP, design, release notes' })

  assert.deepEqual(
    [first, second, third, fourth, home].map(({ path }) => path.replace(link, '…')),
    ['…', '…owner/', '…joining/', '…channels/', '/'],
  )
  assert.match(third.body, /<li><a href="[^"]*\/owner\/">You<\/a><\/li>\s*<li aria-current="step">Joining<\/li>/)
  assert.match(home.text, /Welcome, Ada Lovelace/)
  const me = await browser.call('GET /users/me')
  assert.deepEqual([me['role'], me['delivery_email'], me['timezone']], [100, 'ada@example.com', 'Europe/Vienna'])
  const { subscriptions } = await browser.call('GET /users/me/subscriptions')
  assert.deepEqual(subscriptions.map(({ name }: { name: string }) => name).toSorted(), [
    'Design',
    'announcements',
    'general',
    'help',
    'release notes',
  ])
  const { realm_default_streams } = await browser.call('POST /register', { fetch_event_types: ['default_streams'] })
  assert.equal(realm_default_streams.length, 5)
  const refused = await browser.call('POST /invites', { invitee_emails: 'ben@example.com', stream_ids: [] })
  assert.match(refused.msg, /Insufficient permission/)
})

test('the chosen type of the organization is saved, and anything else counts as not specified', async () => {
  const { chat, browser, newLink } = await startEmpty()
  const link = await newLink()
  await browser.open(link)

  await browser.submit({ name: 'Example', type: '90' })
  const again = await browser.open(link)
  await browser.submit({ type: 'circus' })
  const unknown = await browser.open(link)
  await browser.submit({ type: '20' })
  await browser.submit(owner)
  await browser.submit({ joining: 'mail' })
  await browser.submit()

  assert.match(again.body, /<option value="90" selected>Community</)
  assert.match(unknown.body, /<option value="0" selected>Not specified</)
  assert.match((await realmsOf(chat))[1]?.settings ?? '', /"org_type":20/)
})

test('an answered step shows its answers again, except the password', async () => {
  const { chat, browser, newLink } = await startEmpty()
  const link = await newLink()
  await browser.open(link)
  await browser.submit({ name: 'Example', subdomain: 'team' })
  await browser.submit(owner)

  const [organization, self] = [await browser.open(link), await browser.open(`${link}owner/`)]
  const passwordKept = await browser.submit({ full_name: 'Ada', password: '' })

  assert.match(organization.body, /value="Example"[\s\S]*value="team"/)
  assert.match(self.body, /value="Ada Lovelace"[\s\S]*value="ada@example.com"/)
  assert.match(self.text, /Leave this empty to keep the password that you have chosen\./)
  assert.equal(passwordKept.path, `${link}joining/`)
  const { draft, hash } = await chat.app.services.db.selectFrom('setupLinks').selectAll().executeTakeFirstOrThrow()
  assert.doesNotMatch(draft, /correct horse/)
  assert.doesNotMatch(link, new RegExp(hash))
})

test('opening a later step redirects to the first unanswered step', async () => {
  const { browser, newLink } = await startEmpty()
  const link = await newLink()

  assert.equal((await browser.open(`${link}channels/`)).path, link)
  await browser.submit({ name: 'Example' })
  assert.equal((await browser.open(`${link}channels/`)).path, `${link}owner/`)
})

test('errors are shown beside their fields and above the form, and the input is kept', async () => {
  const { browser, newLink } = await startEmpty()
  const link = await newLink()
  await browser.open(link)

  const nameless = await browser.submit({ name: ' ', subdomain: '-x-' })
  await browser.submit({ name: 'Example', subdomain: '' })
  const wrong = await browser.submit({ full_name: '', email: 'ada', password: 'short' })
  const nearly = await browser.submit({ full_name: 'Ada', email: 'ada', password: 'short' })
  await browser.open(`${link}owner/`)
  await browser.submit(owner)
  const unknownMethod = await browser.submit({ joining: 'pigeon' })
  await browser.submit({ joining: 'mail' })
  const channels = await browser.submit({ more: `ok, ${'x'.repeat(61)}` })

  assert.deepEqual([nameless.status, wrong.status, unknownMethod.status, channels.status], [400, 400, 400, 400])
  assert.match(nameless.body, /<a href="#name">Enter a name[\s\S]*<a href="#subdomain">Use at most 40 letters/)
  assert.match(nameless.body, /aria-describedby="subdomain-hint subdomain-error" aria-invalid="true"/)
  assert.match(wrong.text, /Name too short!.*Invalid address\..*at least 8 characters/)
  assert.match(wrong.body, /value="ada"/)
  assert.match(wrong.body, /id="full_name"[^>]* autofocus/)
  assert.match(nearly.body, /id="email"[^>]* autofocus/)
  assert.equal(nearly.body.match(/ autofocus/g)?.length, 1)
  assert.doesNotMatch(wrong.body, /value="short"/)
  assert.match(wrong.body, /<title>Error: Who are you/)
  assert.match(unknownMethod.text, /Choose how people join\./)
  assert.match(channels.text, /Channel name too long/)
  assert.match(channels.body, /value="ok, x+"/)
})

test('setting up an organization invalidates all links, and no more are issued', async () => {
  const { chat, browser, newLink } = await startEmpty()
  const [link, other] = [await newLink(), await newLink()]
  const second = openBrowser(chat)
  await second.open(other)
  await second.submit({ name: 'Late' })

  await answerAll(browser, link)
  const [again, late] = [await browser.open(link), await second.submit(owner)]

  assert.deepEqual([again.status, late.status], [404, 404])
  assert.match(again.text, /This setup link is not valid/)
  assert.equal(await chat.app.services.transaction(issueSetupLink), null)
  assert.deepEqual(
    (await realmsOf(chat)).slice(1).map(({ name }) => name),
    ['Example'],
  )
})

test('submitting the last step twice at once creates one organization', async () => {
  const { chat, browser, newLink } = await startEmpty()
  const link = await newLink()
  await browser.open(link)
  await browser.submit({ name: 'Example' })
  await browser.submit(owner)
  await browser.submit({ joining: 'mail' })

  const responses = await Promise.all([1, 2].map(() => chat.request({ method: 'POST', path: `${link}channels/` })))

  assert.deepEqual(responses.map(({ status }) => status).toSorted(), [302, 404])
  assert.equal((await realmsOf(chat)).length, 2)
})

test('a link is valid for a day, and invalid links are refused', async () => {
  const { chat, browser, newLink } = await startEmpty()
  const link = await newLink()
  await chat.clock.advance(SETUP_VALIDITY - 1)

  assert.equal((await browser.open(link)).status, 200)
  await chat.clock.advance(1)
  assert.equal((await browser.open(link)).status, 404)
  assert.equal((await browser.open('/new/x/')).status, 404)
  assert.equal((await browser.open(`/new/${'A'.repeat(43)}/owner/`)).status, 404)
})

test('an organization with a subdomain gets a link to its own login page', async () => {
  const { chat, browser, newLink } = await startEmpty()
  await browser.open(await newLink())
  await browser.submit({ name: 'Team', subdomain: 'Team' })
  await browser.submit(owner)
  await browser.submit({ joining: 'mail' })

  const ready = await browser.submit()

  assert.match(ready.body, /href="http:\/\/team\.parley\.test\/login\/\?email=ada%40example\.com"/)
  assert.deepEqual([...browser.cookies], [])
  const there = openBrowser(chat, { host: 'team.parley.test' })
  await there.open('/login/')
  assert.equal((await there.submit({ email: owner.email, password: owner.password })).path, '/')
})

test('the field for another address is folded until it is used, and missing if the server has an IP address', async () => {
  const named = await startEmpty()
  const link = await named.newLink()
  const first = await named.browser.open(link)
  await named.browser.submit({ name: 'Team', subdomain: 'team' })
  const again = await named.browser.open(link)
  const numbered = await startEmpty({ EXTERNAL_URL: 'http://192.0.2.7:9991' })
  const without = await numbered.browser.open(await numbered.newLink())

  assert.match(first.body, /<details>\s*<summary>Use another address than http:\/\/parley\.test/)
  assert.doesNotMatch(first.text, /Subdomain/)
  assert.match(again.body, /<details open>/)
  assert.doesNotMatch(without.body, /subdomain/)
})

test('the joining step shows whether the server can send email', async () => {
  for (const [SMTP_URL, text] of [
    ['', /This server cannot send email yet/],
    ['smtp://localhost:1', /Email is sent through the relay/],
  ] as const) {
    const { browser, newLink } = await startEmpty({ SMTP_URL })
    await browser.open(await newLink())
    await browser.submit({ name: 'Example' })

    assert.match((await browser.submit(owner)).text, text)
  }
})

test('every page explains what to do while there is no organization', async () => {
  const { browser } = await startEmpty()

  for (const path of ['/', '/login/', '/channels/5']) {
    const { status, text } = await browser.open(path)
    assert.equal(status, 404)
    assert.match(text, /No organization yet.*setup-link/)
  }
})
