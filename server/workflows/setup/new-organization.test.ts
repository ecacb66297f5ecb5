import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renameOrganization } from '#organizations/create-organization.ts'
import { Role } from '#rules/role.ts'
import { type Browser, openBrowser } from '../../../test/browser.ts'
import { type Chat, type StartOptions, startChat } from '../../../test/harness.ts'
import { signInFileWith } from '../../../test/identity-provider.ts'
import { SETUP_VALIDITY } from '../set-up-organization.ts'

const startOpen = ({ settings, ...options }: StartOptions = {}) =>
  startChat({ ...options, settings: { OPEN_REALM_CREATION: true, SMTP_URL: 'smtp://relay.test', ...settings } })

const wanted = { name: 'Acme Tools', subdomain: 'acme', email: 'ada@example.com' }
const owner = { full_name: 'Ada Lovelace', password: 'three green bicycles' }

async function request(chat: Chat, fields: Partial<typeof wanted> = {}) {
  const browser = openBrowser(chat)
  await browser.open('/new/')
  return browser.submit({ ...wanted, ...fields })
}

/** Returns the path of the link in the last email to the address. */
async function mailedLink(chat: Chat, email = wanted.email): Promise<string> {
  const mail = (await chat.mail()).findLast(({ to }) => to.includes(email))
  return /http:\/\/parley\.test(\/new\/[\w.-]+\/)owner\//.exec(mail?.text ?? '')?.[1] ?? assert.fail('no link')
}

/** Answers all steps but the last one. */
async function answer(chat: Chat, link: string): Promise<Browser> {
  const browser = openBrowser(chat)
  await browser.open(`${link}owner/`)
  await browser.submit({ ...owner, email: 'mallory@example.com' })
  await browser.submit({ joining: 'mail' })
  return browser
}

const subdomainsOf = async ({ app }: Chat) =>
  (await app.services.db.selectFrom('realms').select('subdomain').orderBy('id').execute()).map((row) => row.subdomain)

test('a visitor creates an organization with a link from an email, and owns it with that address', async () => {
  const chat = await startOpen()

  const sent = await request(chat)
  const link = await mailedLink(chat)
  const before = await subdomainsOf(chat)
  const browser = await answer(chat, link)
  const done = await browser.submit({ help: 'on' })

  assert.match(sent.text, /We have sent an email to ada@example\.com/)
  assert.equal(before.includes('acme'), false)
  assert.match(done.text, /Acme Tools is ready.*http:\/\/acme\.parley\.test/)
  const home = openBrowser(chat, { host: 'acme.parley.test' })
  await home.open('/login/')
  assert.equal((await home.submit({ email: wanted.email, password: owner.password })).path, '/')
  const own = await home.call('GET /users/me')
  assert.deepEqual([own['delivery_email'], own['role']], [wanted.email, Role.owner])
  assert.equal((await openBrowser(chat).open(`${link}owner/`)).status, 404)
  assert.equal(
    (await chat.mail()).some(({ to }) => to.includes('mallory@example.com')),
    false,
  )
})

test('visitors cannot create organizations unless the operator allows it, not even with an earlier link', async () => {
  const chat = await startOpen()
  await request(chat)
  const link = await mailedLink(chat)

  chat.settings.OPEN_REALM_CREATION = false
  const [form, step] = [await openBrowser(chat).open('/new/'), await openBrowser(chat).open(link)]
  const posted = await chat.request({
    method: 'POST',
    path: '/new/',
    headers: { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(wanted).toString(),
  })

  assert.deepEqual([form.status, step.status, posted.status], [403, 404, 403])
  assert.equal((await chat.mail()).length, 1)
})

test('malformed, reserved and taken subdomains are refused with free ones that are similar', async () => {
  const declared = signInFileWith({ issuer: 'https://login.example.com' }, { organizations: ['declared'] })
  const chat = await startOpen({
    settings: { REALM_HOSTS: { 'chat.example.com': 'mapped' }, SIGN_IN_FILE: declared },
  })
  await chat.organization('acme')
  const renamed = await chat.organization('former')
  await chat.app.services.transaction((tx) => renameOrganization(tx, renamed, 'current'))
  const refusals: [string, RegExp][] = [
    ['acme', /This address is taken.*acme-chat, acme-team, or acme-hq/],
    ['former', /This address is taken/],
    ['mapped', /This address is taken/],
    ['declared', /This address is taken/],
    ['mails', /This address is reserved.*mails-chat/],
    ['parley-system', /Use 3 to 40 letters/],
    ['ab', /Use 3 to 40 letters/],
    ['-acme', /Use 3 to 40 letters.*Free addresses: acme-chat/],
    ['', /Use 3 to 40 letters.*acme-tools/],
  ]

  for (const [subdomain, text] of refusals) {
    const shown = await request(chat, { subdomain })
    assert.deepEqual([subdomain, shown.status], [subdomain, 400])
    assert.match(shown.text, text)
  }
  assert.deepEqual(await chat.mail(), [])
})

test('of two links for the same subdomain, one creates it, and the other can choose again', async () => {
  const chat = await startOpen()
  await request(chat)
  await request(chat, { email: 'ben@example.com', name: 'Acme Toys' })
  const [one, other] = [await mailedLink(chat), await mailedLink(chat, 'ben@example.com')]
  const [ada, ben] = [await answer(chat, one), await answer(chat, other)]

  const views = await Promise.all([ada.submit({}), ben.submit({})])
  const loser = views[0].status === 400 ? ada : ben
  const taken = views.find(({ status }) => status === 400)
  await loser.submit({ subdomain: 'acme-two' })
  await loser.submit({})
  await loser.submit({})
  const done = await loser.submit({})

  assert.deepEqual(views.map(({ status }) => status).toSorted(), [200, 400])
  assert.match(taken?.text ?? '', /This address is taken/)
  assert.match(done.text, /is ready/)
  assert.deepEqual((await subdomainsOf(chat)).slice(-2), ['acme', 'acme-two'])
})

test('two last steps with the same link create one organization', async () => {
  const chat = await startOpen()
  await request(chat)
  const link = await mailedLink(chat)
  await answer(chat, link)
  const [one, two] = [openBrowser(chat), openBrowser(chat)]
  for (const browser of [one, two]) await browser.open(`${link}channels/`)

  const views = await Promise.all([one.submit(), two.submit()])

  assert.deepEqual(views.map(({ status }) => status).toSorted(), [200, 404])
})

test('links are forged in vain, and expire after a day', async () => {
  const chat = await startOpen()
  await request(chat)
  const link = await mailedLink(chat)

  const forged = await openBrowser(chat).open(link.replace(/.\/$/, (end) => (end[0] === 'A' ? 'B/' : 'A/')))
  await chat.clock.advance(SETUP_VALIDITY)
  const expired = await openBrowser(chat).open(link)

  assert.deepEqual([forged.status, expired.status], [404, 404])
  assert.match(expired.text, /ask for a new link/)
})

test('an address gets one email in ten minutes, and a network can ask twenty times an hour', async () => {
  const chat = await startOpen({ limitsAttempts: true })

  const statuses = []
  for (let count = 0; count < 21; count += 1) statuses.push((await request(chat)).status)

  assert.equal(statuses.indexOf(429), 20)
  assert.equal((await chat.mail()).length, 1)
})
