import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { type Browser, openBrowser } from '../../test/browser.ts'
import { type Chat, type StartOptions, startChat } from '../../test/harness.ts'
import { changeRealmSettings } from './change-realm-settings.ts'
import { DEMO_LIFETIME } from './deactivation.ts'

const startDemos = (options: StartOptions = {}) =>
  startChat({ ...options, settings: { DEMO_ORGANIZATIONS: true, SMTP_URL: 'smtp://relay.test', ...options.settings } })

/** Creates a demo organization, and returns its host and the browser of its owner. */
async function createDemo(chat: Chat): Promise<{ host: string; link: string; owner: Browser }> {
  const visitor = openBrowser(chat)
  await visitor.open('/new/demo/')
  const ready = await visitor.submit()
  const [, host = '', link = ''] = /href="http:\/\/([^/]+)(\/accounts\/login\/subdomain\/[^"]+)"/.exec(ready.body) ?? []
  const owner = openBrowser(chat, { host })
  await owner.open(link)
  assert.equal((await owner.submit()).path, '/')
  return { host, link, owner }
}

const endOf = async (owner: Browser) =>
  (await owner.call('POST /register', { fetch_event_types: ['realm'] }))['demo_organization_scheduled_deletion_date']

/** Adds an address to the account, and confirms it. */
async function addAddress(chat: Chat, host: string, owner: Browser): Promise<void> {
  await owner.call('PATCH /settings', { email: 'ada@example.com' })
  const mail = (await chat.mail()).findLast(({ to }) => to.includes('ada@example.com'))
  assert.ok(
    mail?.text
      .replaceAll(/\s+/g, ' ')
      .includes(`Confirm that ada@example.com is the email address of your account at http://${host}.`),
  )
  const [, link = ''] = /http:\/\/[^/]+(\/accounts\/confirm_new_email\/\S+)/.exec(mail?.text ?? '') ?? []
  const confirming = openBrowser(chat, { host })
  await confirming.open(link)
  assert.match((await confirming.submit()).text, /We have emailed you a link to choose a password/)
}

/** Chooses a password by the link that was emailed after the confirmation of the address, and signs in with it. */
async function choosePassword(chat: Chat, host: string): Promise<Browser> {
  const mail = (await chat.mail()).at(-1)
  const [, link = ''] = /http:\/\/[^/]+(\/accounts\/password\/reset\/\S+)/.exec(mail?.text ?? '') ?? []
  const owner = openBrowser(chat, { host })
  await owner.open(link)
  await owner.submit({ password: 'a long enough passphrase' })
  await owner.open('/login/')
  assert.equal((await owner.submit({ email: 'ada@example.com', password: 'a long enough passphrase' })).path, '/')
  return owner
}

const realmAt = async ({ app }: Chat, host: string) =>
  app.services.db
    .selectFrom('realms')
    .selectAll()
    .where('subdomain', '=', host.replace('.parley.test', ''))
    .executeTakeFirstOrThrow()

test('a visitor creates a demo organization, and owns it without an address', async () => {
  const chat = await startDemos()

  const { host, link, owner } = await createDemo(chat)

  const own = await owner.call('GET /users/me')
  assert.deepEqual([own['role'], own['delivery_email']], [Role.owner, ''])
  assert.equal(await endOf(owner), Math.floor(chat.clock.now() + DEMO_LIFETIME))
  assert.equal((await openBrowser(chat, { host }).open(link)).status, 404)
  const login = openBrowser(chat, { host })
  await login.open('/login/')
  assert.notEqual((await login.submit({ email: '', password: '' })).path, '/')
  assert.deepEqual(await chat.mail(), [])
})

test('a demo organization becomes permanent with an address, a password and a subdomain', async () => {
  const chat = await startDemos()
  await chat.organization('taken')
  const { host, owner } = await createDemo(chat)
  const convert = (string_id: string, browser = owner) => browser.call('PATCH /realm', { string_id })

  const early = await convert('acme')
  await chat.clock.advance(3600)
  await addAddress(chat, host, owner)
  const refused = [await convert('taken'), await convert('admin'), await convert('x')]
  const withoutPassword = await convert('acme')
  const back = await choosePassword(chat, host)
  const done = await convert('acme', back)

  assert.equal(early.msg, 'Add an email address to your account first.')
  assert.deepEqual(
    refused.map(({ msg }) => msg),
    ['taken', 'reserved', 'malformed'].map((problem) => `This subdomain is ${problem}. Choose another one.`),
  )
  assert.equal(withoutPassword.msg, 'Choose a password first, under Settings → Account and privacy.')
  assert.equal(done['realm_uri'], 'http://acme.parley.test')
  assert.equal((await realmAt(chat, 'acme')).demoEndsAt, null)
  const former = await chat.request({ method: 'GET', path: '/login/', headers: { host } })
  assert.equal(former.headers['location'], 'http://acme.parley.test/login/')
})

test('only owners convert, and only demo organizations', async () => {
  const chat = await startDemos()
  const ada = await chat.user('ada', { role: Role.owner })
  const ann = await chat.user('ann', { role: Role.administrator })

  assert.equal((await ann.call('PATCH /realm', { string_id: 'acme' })).msg, 'Must be an organization owner')
  assert.equal((await ada.call('PATCH /realm', { string_id: 'acme' })).msg, 'Must be a demo organization.')
})

test('a demo organization is deactivated after 30 days, after an email if there is an address', async () => {
  const chat = await startDemos()
  const { host, owner } = await createDemo(chat)
  await addAddress(chat, host, owner)
  const { id } = await realmAt(chat, host)
  const soon = chat.clock.now() + 10
  const { transaction } = chat.app.services
  await transaction((tx) => tx.updateTable('realms').set({ demoEndsAt: soon }).where('id', '=', id).execute())
  await transaction((tx) => tx.updateTable('mails').set({ dueAt: tx.now }).where('letter', '=', 'demo-ends').execute())

  const reminder = (await chat.mail()).at(-1)
  await chat.clock.advance(10)
  await chat.app.jobs.demoOrganizations.settled()

  assert.match(reminder?.subject ?? '', /^Demo organization ends on /)
  assert.notEqual((await realmAt(chat, host)).deactivatedAt, null)
  assert.equal((await owner.call('GET /users/me')).status, 401)
  const last = (await chat.mail()).at(-1)?.text ?? ''
  assert.match(last, /is over, so it was deactivated/)
  assert.doesNotMatch(last, /\/reactivate\//)

  await transaction((tx) => changeRealmSettings(tx, { id }, { deactivated: false }))
  const again = await realmAt(chat, host)
  assert.deepEqual([again.deactivatedAt, again.demoEndsAt], [null, chat.clock.now() + DEMO_LIFETIME])
})

test('there are no demo organizations unless the operator allows them, and few for a network', async () => {
  const closed = await startChat()
  assert.equal((await openBrowser(closed).open('/new/demo/')).status, 403)

  const chat = await startDemos({ limitsAttempts: true })
  for (let count = 0; count < 5; count += 1) await createDemo(chat)
  const browser = openBrowser(chat)
  await browser.open('/new/demo/')
  assert.equal((await browser.submit()).status, 429)
})
