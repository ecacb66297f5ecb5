import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveRealmSettings } from '#realms/queries.ts'
import { Role } from '#rules/role.ts'
import { openBrowser, PASSWORD } from '../../test/browser.ts'
import { confirmEmailChange, press } from '../../test/email-changes.ts'
import { type Chat, type StartOptions, startChat } from '../../test/harness.ts'
import { channelNamesOf, memberOf } from '../../test/joining.ts'
import { SIGN_UP_VALIDITY } from './sign-up.ts'

async function startOpen(options: StartOptions = {}): Promise<Chat> {
  const chat = await startChat(options)
  await chat.change({ invite_required: false })
  return chat
}

async function request(chat: Chat, email: string, host = 'parley.test') {
  const browser = openBrowser(chat, { host })
  await browser.open('/register/')
  return browser.submit({ email })
}

/** Returns the path of the link in the newest email. */
async function mailedLink(chat: Chat): Promise<string> {
  const mail = (await chat.mail()).at(-1)
  return /http:\/\/parley\.test(\/accounts\/sign_up\/[\w.-]+\/)/.exec(mail?.text ?? '')?.[1] ?? ''
}

const account = { full_name: 'Dora Dietrich', password: 'three green bicycles' }

test('in an open organization, anyone can join with a link that is emailed to them', async () => {
  const chat = await startOpen({ settings: { SMTP_URL: 'smtp://relay.test' } })
  await chat.user('ben')
  const browser = openBrowser(chat)

  const login = await browser.open('/login/')
  const sent = await request(chat, ' dora@example.com ')
  const form = await browser.open(await mailedLink(chat))
  const home = await browser.submit({ ...account, timezone: 'Europe/Berlin' })

  assert.match(login.text, /No account yet\? Create one/)
  assert.match(sent.text, /We have sent an email to dora@example\.com/)
  assert.match(form.text, /Join Example/)
  assert.equal(home.path, '/')
  const own = await browser.call('GET /users/me')
  assert.deepEqual(
    [own['full_name'], own['delivery_email'], own['role'], own['timezone']],
    ['Dora Dietrich', 'dora@example.com', Role.member, 'Europe/Berlin'],
  )
  const again = await openBrowser(chat).open(await mailedLink(chat))
  assert.match(again.text, /You already have an account with this address/)
})

test('with the setting, only people with an invitation can join', async () => {
  const chat = await startOpen()
  await request(chat, 'dora@example.com')
  const link = await mailedLink(chat)
  const browser = openBrowser(chat)
  await browser.open(link)
  await chat.change({ invite_required: true })

  const submitted = await browser.submit(account)
  const pages = [await browser.open('/register/'), await browser.open(link), submitted]

  for (const { status, text } of pages) {
    assert.equal(status, 403)
    assert.match(text, /You need an invitation to join Example Ask a member/)
  }
  assert.doesNotMatch((await browser.open('/login/')).text, /Create an account/)
})

test('the response is the same for addresses with and without an account, and only the recipient of the email learns which it is', async () => {
  const chat = await startOpen()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  await cleo.succeed('DELETE /users/me')

  const responses = []
  for (const email of [ben.email, cleo.email, 'dora@example.com'])
    responses.push((await request(chat, email)).body.replaceAll(email, 'EMAIL'))

  for (const response of responses) assert.equal(response, responses[0])
  const mails = await chat.mail()
  assert.deepEqual(
    mails.map(({ to, subject }) => [to[0], subject]),
    [
      [ben.email, 'Your account at Example'],
      [cleo.email, 'Your account at Example'],
      ['dora@example.com', 'Confirm your email address to join Example'],
    ],
  )
  assert.match(mails[0]?.text ?? '', /already has an account/)
  assert.match(mails[1]?.text ?? '', /was deactivated/)
  for (const mail of mails.slice(0, 2)) assert.doesNotMatch(mail.text, /sign_up/)
})

test('addresses that the organization does not allow are refused, even after the link was emailed', async () => {
  const chat = await startOpen()
  const ada = await chat.user('ada', { role: Role.owner })
  await request(chat, 'dora@elsewhere.test')
  const link = await mailedLink(chat)
  await ada.succeed('POST /realm/domains', { domain: 'example.com', allow_subdomains: false })
  await ada.succeed('PATCH /realm', { emails_restricted_to_domains: true })
  const browser = openBrowser(chat)
  await browser.open(link)

  const late = await browser.submit(account)
  const early = await request(chat, 'eve@elsewhere.test')
  const malformed = await request(chat, 'eve')

  assert.match(late.text, /You cannot join Example yet Outside your domain/)
  assert.equal(early.status, 400)
  assert.match(early.text, /Outside your domain/)
  assert.match(malformed.text, /Enter an email address/)
  assert.equal((await chat.mail()).length, 1)
})

test('links expire after a day, work at their own organization only, and cannot be changed', async () => {
  const chat = await startOpen()
  await request(chat, 'dora@example.com')
  const link = await mailedLink(chat)
  const browser = openBrowser(chat)
  const [content = '', signature = ''] = link.split('/')[3]?.split('.') ?? []
  const forged = Buffer.from(Buffer.from(content, 'base64url').toString().replace('dora', 'owner')).toString(
    'base64url',
  )

  for (const wrong of [`${forged}.${signature}`, content, 'x.y', `${content}.${signature}x`])
    assert.equal((await browser.open(`/accounts/sign_up/${wrong}/`)).status, 404)
  await chat.clock.advance(SIGN_UP_VALIDITY - 1)
  assert.equal((await browser.open(link)).status, 200)
  await chat.clock.advance(1)
  const expired = await browser.submit(account)
  assert.equal(expired.status, 404)
  assert.match(expired.text, /This link is no longer valid/)
})

test('a form that is submitted twice at once creates one account', async () => {
  const chat = await startOpen()
  await request(chat, 'dora@example.com')
  const link = await mailedLink(chat)
  const submit = () =>
    chat.request({
      method: 'POST',
      path: link,
      headers: { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...account, timezone: '' }).toString(),
    })

  const responses = await Promise.all([submit(), submit()])

  assert.deepEqual(responses.map(({ headers }) => String(headers['location'])).toSorted(), [
    '/',
    '/login/?email=dora%40example.com&already_registered=1',
  ])
})

test('errors are shown at their fields, and the name is kept', async () => {
  const chat = await startOpen()
  await request(chat, 'dora@example.com')
  const browser = openBrowser(chat)
  await browser.open(await mailedLink(chat))

  const short = await browser.submit({ full_name: 'Dora', password: 'short' })
  const nameless = await browser.submit({ full_name: '', password: account.password })

  assert.equal(short.status, 400)
  assert.match(short.body, /value="Dora"/)
  assert.equal(nameless.status, 400)
  assert.equal(nameless.text.split('Name too short!').length, 2)
})

test('the number of emails to an address and from a network is limited', async () => {
  const chat = await startOpen({ settings: { RATE_LIMITING: true } })
  for (let count = 0; count < 3; count += 1) await request(chat, 'dora@example.com')
  assert.equal((await chat.mail()).length, 1)

  for (let count = 0; count < 27; count += 1) await request(chat, `person${count}@example.com`)
  const refused = await request(chat, 'late@example.com')

  assert.equal(refused.status, 429)
  assert.equal((await chat.mail()).length, 28)
})

test('an organization sends at most 500 such emails a day', async () => {
  const chat = await startOpen({ settings: { RATE_LIMITING: true } })
  const submit = (email: string) => press(chat, '/register/', new URLSearchParams({ email }).toString())
  for (let count = 0; count < 510; count += 1) {
    if (count % 30 === 0) await chat.clock.advance(3601)
    assert.equal((await submit(`person${count}@example.com`)).status, 200)
  }

  assert.equal((await chat.mail()).length, 500)
})

test('the emails to an address count together for all organizations', async () => {
  const chat = await startOpen({ settings: { RATE_LIMITING: true } })
  const harbour = await chat.organization('harbour')
  await chat.app.services.transaction((tx) => saveRealmSettings(tx, harbour.id, { invite_required: false }))

  await request(chat, 'dora@example.com')
  await request(chat, 'dora@example.com', 'harbour.parley.test')

  assert.equal((await chat.mail()).length, 1)
})

test('an address that is reserved for another account cannot join', async () => {
  const chat = await startOpen()
  const olga = await chat.user('olga', { role: Role.owner })
  const ben = await chat.user('ben')
  await olga.succeed(`PATCH /users/${ben.id}`, { new_email: 'benjamin@example.com' })
  await confirmEmailChange(chat, 'benjamin@example.com')
  await request(chat, 'ben@example.com')
  const browser = openBrowser(chat)
  await browser.open(await mailedLink(chat))

  const submitted = await browser.submit({ full_name: 'Someone', password: PASSWORD })

  assert.equal(submitted.status, 400)
  assert.match(submitted.text, /You cannot join Example yet This address cannot be used at the moment/)
})

test('an organization without free licenses says so', async () => {
  const chat = await startOpen()
  await chat.user('ada', { role: Role.owner })
  await request(chat, 'dora@example.com')
  const browser = openBrowser(chat)
  await browser.open(await mailedLink(chat))
  await chat.change({ license_limit: 1 })

  const submitted = await browser.submit(account)
  const asked = await request(chat, 'eve@example.com')

  for (const { text } of [submitted, asked]) assert.match(text, /reached its maximum number of users/)
})

test('a person with a pending invitation continues with it, and a revoked one grants nothing', async () => {
  const chat = await startOpen()
  const ada = await chat.user('ada', { role: Role.owner })
  const design = await chat.channel('design', [ada])
  const offer = { invite_as: Role.moderator, stream_ids: [design.id], include_realm_default_subscriptions: false }
  await ada.succeed('POST /invites', { invitee_emails: 'dora@example.com,eve@example.com', ...offer })
  const { invites } = await ada.succeed('GET /invites')
  const eves = invites.find(({ email }: { email: string }) => email === 'eve@example.com')
  await ada.succeed(`DELETE /invites/${eves.id}`)

  for (const email of ['DORA@example.com', 'eve@example.com']) {
    await request(chat, email)
    const browser = openBrowser(chat)
    await browser.open(await mailedLink(chat))
    const home = await browser.submit({ full_name: email.slice(0, 3), password: PASSWORD })
    assert.equal(home.path, '/')
  }

  assert.equal((await memberOf(ada, 'dora@example.com')).role, Role.moderator)
  assert.deepEqual(await channelNamesOf(chat, 'dora@example.com'), ['design'])
  assert.equal((await memberOf(ada, 'eve@example.com')).role, Role.member)
  assert.deepEqual(await channelNamesOf(chat, 'eve@example.com'), [])
})

test('only owners decide whether people need an invitation', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben', { role: Role.administrator })

  const refused = await ben.call('PATCH /realm', { invite_required: false })
  await ada.succeed('PATCH /realm', { invite_required: false })

  assert.match(refused.msg, /Must be an organization owner/)
  assert.equal((await openBrowser(chat).open('/register/')).status, 200)
})
