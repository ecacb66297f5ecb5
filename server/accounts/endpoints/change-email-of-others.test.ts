import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotType, Role } from '#rules/role.ts'
import { logIn, PASSWORD, signIn, submitPassword } from '../../../test/browser.ts'
import { confirmEmailChange, findMailedLink, press, requireMailedLink } from '../../../test/email-changes.ts'
import { type Chat, type StartOptions, startChat } from '../../../test/harness.ts'

const HOUR = 3600

async function startWithRoles(options: StartOptions = {}) {
  const chat = await startChat(options)
  const olga = await chat.user('olga', { role: Role.owner })
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  return { chat, olga, ada, ben }
}

const askForReset = (chat: Chat, email: string) =>
  press(chat, '/accounts/password/reset/', new URLSearchParams({ email }).toString())

const setPassword = (chat: Chat, link: string) =>
  press(chat, link, new URLSearchParams({ password: 'a new horse' }).toString())

const mailsTo = async (chat: Chat, email: string) =>
  (await chat.mail()).filter(({ to }) => to.includes(email)).map(({ subject }) => subject)

test("an administrator cannot change a person's address, and no email is sent", async () => {
  const { chat, olga, ada, ben } = await startWithRoles()

  const refused = await ada.call(`PATCH /users/${ben.id}`, {
    new_email: 'evil@attacker.example',
    full_name: 'Benjamin',
  })
  const ofOwner = await ada.call(`PATCH /users/${olga.id}`, { new_email: 'evil@attacker.example' })
  const same = await ada.call(`PATCH /users/${ben.id}`, { new_email: 'ben@example.com' })

  assert.partialDeepStrictEqual(refused, {
    status: 400,
    code: 'BAD_REQUEST',
    msg: "Only organization owners can change other people's email addresses.",
  })
  assert.equal(ofOwner.msg, 'Must be an organization owner')
  assert.equal(same.result, 'success')
  assert.partialDeepStrictEqual((await ada.succeed(`GET /users/${ben.id}`))['user'], {
    delivery_email: 'ben@example.com',
    full_name: 'Ben',
  })
  assert.deepEqual(await chat.mail(), [])
})

test('if the operator allows it, administrators can request changes like owners, but not for owners', async () => {
  const { chat, olga, ada, ben } = await startWithRoles({ settings: { ADMINS_MAY_CHANGE_EMAIL: true } })

  await ada.succeed(`PATCH /users/${ben.id}`, { new_email: 'benjamin@example.org' })
  const ofOwner = await ada.call(`PATCH /users/${olga.id}`, { new_email: 'evil@attacker.example' })

  assert.equal(ofOwner.msg, 'Must be an organization owner')
  assert.deepEqual(await mailsTo(chat, 'ben@example.com'), ['Your email address at Example is about to change'])
  assert.equal((await ada.succeed(`GET /users/${ben.id}`))['user'].delivery_email, 'ben@example.com')
})

test('a change by an owner takes effect when the new address confirms it, and is then emitted to everyone', async () => {
  const { chat, olga, ben } = await startWithRoles()

  await olga.succeed('PATCH /users/ben@example.com', { new_email: 'benjamin@example.com' })

  assert.deepEqual(await chat.eventsOf(olga), [])
  assert.equal((await olga.succeed(`GET /users/${ben.id}`))['user'].delivery_email, 'ben@example.com')
  const notice = (await chat.mail()).find(({ to }) => to.includes('ben@example.com'))
  assert.match(notice?.text ?? '', /Olga asked to change .* from ben@example\.com to benjamin@example\.com/s)
  await confirmEmailChange(chat, 'benjamin@example.com')
  assert.partialDeepStrictEqual(
    (await chat.eventsOf(olga)).map((event) => event['person']),
    [
      { user_id: ben.id, delivery_email: 'benjamin@example.com' },
      { user_id: ben.id, new_email: 'benjamin@example.com' },
      { user_id: ben.id, avatar_source: 'G' },
    ],
  )
  assert.deepEqual(await mailsTo(chat, 'ben@example.com'), [
    'Your email address at Example is about to change',
    'Your email address at Example was changed',
  ])
  const again = await press(chat, await requireMailedLink(chat, 'benjamin@example.com'))
  assert.equal(again.status, 404)
})

test('a change can be canceled from the old address before it is confirmed', async () => {
  const { chat, olga, ben } = await startWithRoles()
  const browser = await signIn(chat, ben)
  await olga.succeed(`PATCH /users/${ben.id}`, { new_email: 'evil@attacker.example' })
  const undoPath = await requireMailedLink(chat, 'ben@example.com')

  const shown = await chat.request({ method: 'GET', path: undoPath, headers: { host: 'parley.test' } })
  const undone = await press(chat, undoPath)

  assert.deepEqual([shown.status, undone.status], [200, 200])
  assert.equal((await press(chat, await requireMailedLink(chat, 'evil@attacker.example'))).status, 404)
  assert.equal((await press(chat, undoPath)).status, 404)
  assert.equal((await ben.succeed('GET /users/me'))['delivery_email'], 'ben@example.com')
  assert.equal((await browser.call('GET /users/me')).result, 'success')
})

test('undoing a confirmed change restores the old address and revokes all access', async () => {
  const { chat, olga, ben } = await startWithRoles()
  await submitPassword(chat, ben)
  await olga.succeed(`PATCH /users/${ben.id}`, { new_email: 'evil@attacker.example' })
  const undoPath = await requireMailedLink(chat, 'ben@example.com')
  await confirmEmailChange(chat, 'evil@attacker.example')
  await chat.clock.advance(60)
  await askForReset(chat, 'evil@attacker.example')
  assert.equal((await setPassword(chat, await requireMailedLink(chat, 'evil@attacker.example'))).status, 302)
  const key = await chat.request({
    method: 'POST',
    path: '/api/v1/fetch_api_key',
    headers: { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' },
    body: 'username=evil@attacker.example&password=a new horse',
  })
  assert.equal(key.status, 200, key.body)
  const taken = await olga.call('POST /users', { email: 'BEN@example.com', full_name: 'X', password: PASSWORD })
  await chat.clock.advance(71 * HOUR)

  const undone = await press(chat, undoPath)

  assert.equal(undone.status, 200, undone.body)
  assert.equal(taken.msg, 'Email is already in use.')
  assert.equal((await olga.succeed(`GET /users/${ben.id}`))['user'].delivery_email, 'ben@example.com')
  assert.equal((await ben.call('GET /users/me')).status, 401)
  const stolen = {
    authorization: `Basic ${Buffer.from(`ben@example.com:${JSON.parse(key.body).api_key}`).toString('base64')}`,
  }
  assert.equal((await ben.call('GET /users/me', {}, stolen)).status, 401)
  const reset = await requireMailedLink(chat, 'ben@example.com')
  assert.match(reset, /password\/reset/)
  assert.equal((await setPassword(chat, reset)).status, 302)
  await assert.rejects(logIn(chat, 'evil@attacker.example'))
})

test("undoing a confirmed change also deletes the API keys of the user's bots", async () => {
  const { chat, olga, ben } = await startWithRoles()
  const { user_id, api_key } = await ben.succeed('POST /bots', { full_name: 'Robo', short_name: 'robo' })
  const { email } = (await olga.succeed(`GET /users/${user_id}`))['user']
  const askAsBot = async () =>
    (await ben.call('GET /users/me', {}, { authorization: `Basic ${btoa(`${email}:${api_key}`)}` })).status
  await olga.succeed(`PATCH /users/${ben.id}`, { new_email: 'evil@attacker.example' })
  const undoPath = await requireMailedLink(chat, 'ben@example.com')
  await confirmEmailChange(chat, 'evil@attacker.example')

  const before = await askAsBot()
  await press(chat, undoPath)

  assert.deepEqual([before, await askAsBot()], [200, 401])
})

test('undoing the first of two changes restores the first address', async () => {
  const { chat, olga, ben } = await startWithRoles()
  await olga.succeed(`PATCH /users/${ben.id}`, { new_email: 'evil@attacker.example' })
  const undoPath = await requireMailedLink(chat, 'ben@example.com')
  await confirmEmailChange(chat, 'evil@attacker.example')
  await chat.clock.advance(10)
  await olga.succeed(`PATCH /users/${ben.id}`, { new_email: 'evil2@attacker.example' })
  await confirmEmailChange(chat, 'evil2@attacker.example')

  const undone = await press(chat, undoPath)

  assert.equal(undone.status, 200)
  assert.equal((await olga.succeed(`GET /users/${ben.id}`))['user'].delivery_email, 'ben@example.com')
})

test('an undo link cannot be forged, and expires after 72 hours and in other organizations', async () => {
  const { chat, olga, ben } = await startWithRoles()
  await chat.organization('other')
  await olga.succeed(`PATCH /users/${ben.id}`, { new_email: 'benjamin@example.org' })
  const undoPath = await requireMailedLink(chat, 'ben@example.com')
  await confirmEmailChange(chat, 'benjamin@example.org')

  const forged = await press(chat, undoPath.slice(0, -1))
  const elsewhere = await chat.request({ method: 'POST', path: undoPath, headers: { host: 'other.parley.test' } })
  await chat.clock.advance(72 * HOUR)
  const late = await press(chat, undoPath)

  assert.deepEqual([forged.status, elsewhere.status, late.status], [404, 404, 404])
  assert.equal((await olga.succeed(`GET /users/${ben.id}`))['user'].delivery_email, 'benjamin@example.org')
})

test('a change cancels password resets, and blocks new ones until it is confirmed or 72 hours have passed', async () => {
  const { chat, olga, ben } = await startWithRoles()
  await askForReset(chat, 'ben@example.com')
  const before = await requireMailedLink(chat, 'ben@example.com')
  await chat.clock.advance(10)
  await olga.succeed(`PATCH /users/${ben.id}`, { new_email: 'benjamin@example.org' })
  await chat.mail()
  await chat.clock.advance(10)

  const dropped = await setPassword(chat, before)
  await askForReset(chat, 'ben@example.com')
  const whilePending = await mailsTo(chat, 'ben@example.com')
  await chat.clock.advance(72 * HOUR)
  await askForReset(chat, 'ben@example.com')
  const afterwards = await requireMailedLink(chat, 'ben@example.com')

  assert.equal(dropped.status, 404)
  assert.deepEqual(whilePending, [
    'Choose a new password for Example',
    'Your email address at Example is about to change',
  ])
  assert.match(afterwards, /password\/reset/)
  assert.equal((await setPassword(chat, afterwards)).status, 302)
})

test('a user can reset the password after the new address has confirmed the change', async () => {
  const { chat, olga, ben } = await startWithRoles()
  await olga.succeed(`PATCH /users/${ben.id}`, { new_email: 'benjamin@example.org' })
  await confirmEmailChange(chat, 'benjamin@example.org')
  await chat.clock.advance(10)

  await askForReset(chat, 'benjamin@example.org')

  assert.equal((await setPassword(chat, await requireMailedLink(chat, 'benjamin@example.org'))).status, 302)
})

test('owners change their own address in their settings, and cannot change that of a deactivated account', async () => {
  const { chat, olga, ben } = await startWithRoles()
  await olga.succeed(`DELETE /users/${ben.id}`)

  const own = await olga.call(`PATCH /users/${olga.id}`, { new_email: 'olga@example.org' })
  const ended = await olga.call(`PATCH /users/${ben.id}`, { new_email: 'benjamin@example.org' })
  const taken = await olga.call(`PATCH /users/${olga.id}`, { new_email: 'olga@example.com' })

  assert.equal(own.msg, 'Change your own email address in your settings, with your password.')
  assert.equal(ended.msg, 'User is deactivated')
  assert.equal(taken.result, 'success')
  assert.equal(await findMailedLink(chat, 'benjamin@example.org'), undefined)
})

test('an address can change its case, but cannot become that of another user', async () => {
  const { chat, olga, ben } = await startWithRoles()

  await olga.succeed(`PATCH /users/${ben.id}`, { new_email: 'Ben@Example.com' })
  const taken = await olga.call(`PATCH /users/${ben.id}`, { new_email: 'ADA@example.com' })
  await confirmEmailChange(chat, 'Ben@Example.com')

  assert.equal(taken.msg, 'Email is already in use.')
  assert.equal((await olga.succeed(`GET /users/${ben.id}`))['user'].delivery_email, 'Ben@Example.com')
})

test('the address of a bot changes at once', async () => {
  const { chat, ada, ben } = await startWithRoles()
  const robo = await chat.user('robo', { botType: BotType.generic, owner: ben })

  await ada.succeed(`PATCH /users/${robo.id}`, { new_email: 'robo@example.org' })

  assert.equal((await ada.succeed(`GET /users/${robo.id}`))['user'].delivery_email, 'robo@example.org')
  assert.deepEqual(await chat.mail(), [])
})
