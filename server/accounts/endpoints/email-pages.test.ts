import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveUserEmail } from '#people/user-queries.ts'
import { Role } from '#rules/role.ts'
import { PASSWORD, submitPassword } from '../../../test/browser.ts'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'

/** Requests a new address, and returns the path of the link in the email to this address. */
async function askFor(chat: Chat, person: Person, email: string): Promise<string> {
  await submitPassword(chat, person)
  await person.succeed('PATCH /settings', { email, old_password: PASSWORD })
  const mail = (await chat.mail()).findLast(({ to }) => to.includes(email))
  const path = /http:\/\/parley\.test(\/accounts\/confirm_new_email\/[\w.-]+)/.exec(mail?.text ?? '')?.[1]
  assert(path !== undefined, mail?.text)
  return path
}

const open = (chat: Chat, path: string, method = 'GET', host = 'parley.test') =>
  chat.request({ method, path, headers: { host } })

test('an address changes when its link is confirmed, and the old address is notified', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const ben = await chat.user('ben')
  const path = await askFor(chat, ben, 'benjamin@example.org')
  const opened = await open(chat, path)
  const before = await ben.succeed('GET /users/me')

  const confirmed = await open(chat, path, 'POST')

  assert.equal(opened.status, 200)
  assert.match(opened.body, /<form method="post"><button>/)
  assert.equal(before['delivery_email'], 'ben@example.com')
  assert.equal(confirmed.status, 200)
  assert.equal((await ada.succeed(`GET /users/${ben.id}`))['user'].delivery_email, 'benjamin@example.org')
  const last = (await chat.mail()).at(-1)
  assert.deepEqual([last?.to, last?.subject], [['ben@example.com'], 'Your email address at Example was changed'])
})

test('a link works once, for a day, and only in its own organization', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  await chat.organization('other')
  const used = await askFor(chat, ben, 'first@example.org')
  const elsewhere = await open(chat, used, 'POST', 'other.parley.test')
  await open(chat, used, 'POST')

  const again = await open(chat, used, 'POST')
  const changed = await chat.app.services.db
    .selectFrom('users')
    .select('deliveryEmail')
    .where('id', '=', ben.id)
    .execute()

  assert.equal(elsewhere.status, 404)
  assert.equal(again.status, 404)
  assert.deepEqual(changed, [{ deliveryEmail: 'first@example.org' }])
})

test('of two links confirmed at once, one takes effect and the old address gets one email', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const ben = await chat.user('ben')
  const paths = [await askFor(chat, ben, 'first@example.org'), await askFor(chat, ben, 'second@example.org')]
  const mailsBefore = (await chat.mail()).length

  const responses = await Promise.all(paths.map((path) => open(chat, path, 'POST')))

  const statuses = responses.map((response) => response.status)
  assert.deepEqual(statuses.toSorted(), [200, 404])
  const address = statuses[0] === 200 ? 'first@example.org' : 'second@example.org'
  assert.equal((await ada.succeed(`GET /users/${ben.id}`))['user'].delivery_email, address)
  assert.deepEqual(
    (await chat.mail()).slice(mailsBefore).map((mail) => mail.to),
    [['ben@example.com']],
  )
})

test('a link does not work again after the old address is restored', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const path = await askFor(chat, ben, 'benjamin@example.org')
  await chat.clock.advance(10)
  await open(chat, path, 'POST')
  await chat.app.services.transaction((tx) => saveUserEmail(tx, ben.id, 'ben@example.com'))

  const [opened, again] = [await open(chat, path), await open(chat, path, 'POST')]

  assert.deepEqual([opened.status, again.status], [404, 404])
  assert.equal((await ben.succeed('GET /users/me'))['delivery_email'], 'ben@example.com')
})

test('a link expires after a day', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const path = await askFor(chat, ben, 'benjamin@example.org')
  await chat.clock.advance(86_401)

  const late = await open(chat, path, 'POST')

  assert.equal(late.status, 404)
  assert.match(late.body, /no longer valid/)
})

test('a link cannot be forged or changed to another address', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const path = await askFor(chat, ben, 'benjamin@example.org')
  const [, seal] = path.split('.')
  const forged = Buffer.from(JSON.stringify([ben.id, 'evil@example.org', 2e9])).toString('base64url')

  const responses = [
    await open(chat, `/accounts/confirm_new_email/${forged}.${seal}`, 'POST'),
    await open(chat, `/accounts/confirm_new_email/${forged}`, 'POST'),
    await open(chat, '/accounts/confirm_new_email/x', 'POST'),
    await open(chat, `${path.slice(0, -1)}`, 'POST'),
  ]

  assert.deepEqual(
    responses.map((response) => response.status),
    [404, 404, 404, 404],
  )
})

test('an address that another user has taken meanwhile is refused', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  const path = await askFor(chat, ben, 'dan@example.org')
  await ada.succeed('POST /users', { email: 'dan@example.org', password: 'correct horse', full_name: 'Dan' })

  const response = await open(chat, path, 'POST')

  assert.equal(response.status, 400)
  assert.match(response.body, /Email is already in use\./)
  assert.equal((await ben.succeed('GET /users/me'))['delivery_email'], 'ben@example.com')
})
