import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveRealmFields } from '#realms/queries.ts'
import { openBrowser } from '../../../test/browser.ts'
import { type Chat, type StartOptions, startChat } from '../../../test/harness.ts'

async function startWithTwo(options: StartOptions = {}) {
  const chat = await startChat(options)
  const harbour = await chat.organization('harbour')
  const ada = await chat.user('ada')
  await chat.user('ada', { realm: harbour })
  return { chat, harbour, ada }
}

async function find(chat: Chat, emails: string, host = 'parley.test') {
  const browser = openBrowser(chat, { host })
  await browser.open('/accounts/find/')
  return browser.submit({ emails })
}

test('a user finds the organizations of an address, even at a host without one', async () => {
  const { chat } = await startWithTwo({ settings: { SMTP_URL: 'smtp://relay.test' } })

  const lost = await openBrowser(chat, { host: 'nowhere.parley.test' }).open('/')
  const sent = await find(chat, ' ADA@example.com ', 'nowhere.parley.test')

  assert.match(lost.body, /<a href="\/accounts\/find\/">Find your organizations<\/a>/)
  assert.match(sent.text, /Check your email Each address that has an account/)
  const [mail, ...others] = await chat.mail()
  assert.deepEqual([mail?.to, mail?.subject, others], [['ADA@example.com'], 'Your organizations', []])
  assert.match(
    mail?.text ?? '',
    /these organizations[\s\S]*http:\/\/parley\.test\/login\/[\s\S]*http:\/\/harbour\.parley\.test\/login\//,
  )
})

test('the response is the same for all addresses, and only people with an active account get an email', async () => {
  const { chat, harbour, ada } = await startWithTwo()
  const ben = await chat.user('ben')
  await ben.succeed('DELETE /users/me')
  await chat.user('robot', { botType: 1, owner: ada })
  await chat.user('cleo', { realm: harbour })
  await chat.app.services.transaction((tx) => saveRealmFields(tx, harbour.id, { deactivatedAt: chat.clock.now() }))

  const responses = []
  for (const name of ['ada', 'ben', 'robot', 'cleo', 'nobody'])
    responses.push((await find(chat, `${name}@example.com`)).body)

  for (const response of responses) assert.equal(response, responses[0])
  const mails = await chat.mail()
  assert.deepEqual(
    mails.map(({ to }) => to[0]),
    ['ada@example.com'],
  )
  assert.doesNotMatch(mails[0]?.text ?? '', /harbour/)
})

test('several addresses can be searched at once, and the error names an invalid one', async () => {
  const { chat } = await startWithTwo()
  await chat.user('ben')

  const wrong = await find(chat, 'ada@example.com, ben@')
  const empty = await find(chat, ' , ')
  const many = await find(chat, Array.from({ length: 11 }, (_, at) => `a${at}@example.com`).join())
  await find(chat, 'ada@example.com, ben@example.com, ADA@example.com')

  assert.deepEqual([wrong.status, empty.status, many.status], [400, 400, 400])
  assert.match(wrong.text, /“ben@” is not an email address/)
  assert.match(wrong.body, /value="ada@example\.com, ben@"/)
  assert.match(empty.text, /Enter an email address/)
  assert.match(many.text, /Enter at most 10 addresses/)
  assert.deepEqual((await chat.mail()).map(({ to }) => to[0]).toSorted(), ['ada@example.com', 'ben@example.com'])
})

test('an address gets one email in ten minutes, and a network can search ten times an hour', async () => {
  const { chat } = await startWithTwo({ settings: { RATE_LIMITING: true } })

  const statuses = []
  for (let count = 0; count < 11; count += 1) statuses.push((await find(chat, 'ada@example.com')).status)

  assert.deepEqual([statuses.indexOf(429), statuses.length], [10, 11])
  assert.equal((await chat.mail()).length, 1)
})
