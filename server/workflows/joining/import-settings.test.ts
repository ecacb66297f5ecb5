import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newTotpSecret, saveTotp } from '#people/second-factors.ts'
import { saveRealmFields, saveRealmSettings } from '#realms/queries.ts'
import { Role } from '#rules/role.ts'
import { openBrowser, PASSWORD, submitPassword } from '../../../test/browser.ts'
import { sendFiles } from '../../../test/files.ts'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'
import { doConfirm, joinBy, keyOfInvitation, keyOfLink } from '../../../test/joining.ts'
import { movingPicture } from '../../../test/pictures.ts'

const filled = { full_name: 'Nelly', password: 'three green bicycles' }

/** Starts a server with two organizations: Ada's, and `team`, in which Nelly has an account with her own settings. */
async function startWithOther(settings = {}) {
  const chat = await startChat({ settings })
  const team = await chat.organization('team')
  const ada = await chat.user('ada', { role: Role.owner })
  const nelly = await chat.user('nelly', { realm: team })
  await submitPassword(chat, nelly)
  await nelly.succeed('PATCH /settings', {
    color_scheme: 2,
    enter_sends: true,
    do_not_disturb_until: 2_000_000_000,
    send_read_receipts: false,
    allow_private_data_export: true,
  })
  return { chat, team, ada, nelly }
}

async function openInvitation(chat: Chat, ada: Person, email = 'nelly@example.com') {
  const browser = openBrowser(chat)
  const page = await browser.open(doConfirm(await keyOfInvitation(chat, ada, email)))
  return { browser, page }
}

const ownState = (browser: Awaited<ReturnType<typeof openInvitation>>['browser']) =>
  browser.call('POST /register', {
    fetch_event_types: ['user_settings', 'realm_user'],
    client_capabilities: { parley_extensions: true },
  })

test('a new user can import the picture and settings of an account in another organization', async () => {
  const { chat, ada, nelly } = await startWithOther()
  await sendFiles(chat, nelly, '/users/me/avatar', { bytes: movingPicture })
  const { browser, page } = await openInvitation(chat, ada)

  const home = await browser.submit({ ...filled, other_organization: 'team', other_password: PASSWORD })

  assert.match(page.text, /Import your settings from another organization/)
  assert.equal(home.path, '/')
  const { user_settings } = await ownState(browser)
  assert.deepEqual(
    [user_settings.color_scheme, user_settings.enter_sends, user_settings.send_read_receipts],
    [2, true, false],
  )
  assert.equal(user_settings.do_not_disturb_until, 0)
  assert.equal(user_settings.allow_private_data_export, false)
  const [own, other] = [await browser.call('GET /users/me'), await nelly.succeed('GET /users/me')]
  assert.match(own['avatar_url'], new RegExp(`^/user_avatars/${chat.realm.id}/`))
  const pictures = [own, other].map(({ avatar_url: path }) => chat.request({ method: 'GET', path }))
  const [copy, original] = await Promise.all(pictures)
  assert.ok(copy !== undefined && original !== undefined && copy.status === 200 && copy.bytes.equals(original.bytes))
})

test('later changes to one account do not affect the other', async () => {
  const { chat, ada, nelly } = await startWithOther()
  await sendFiles(chat, nelly, '/users/me/avatar', { bytes: movingPicture })
  const { browser } = await openInvitation(chat, ada)
  await browser.submit({ ...filled, other_organization: 'team', other_password: PASSWORD })

  await nelly.succeed('DELETE /users/me/avatar')
  await nelly.succeed('PATCH /settings', { color_scheme: 3 })

  const { avatar_url: path } = await browser.call('GET /users/me')
  assert.equal((await chat.request({ method: 'GET', path })).status, 200)
  assert.equal((await ownState(browser)).user_settings.color_scheme, 2)
})

test('a user who joins with a link names the organization by its URL, and the account by the email address that they enter', async () => {
  const { chat, ada } = await startWithOther()
  const browser = openBrowser(chat)
  await browser.open(joinBy(await keyOfLink(ada)))

  const home = await browser.submit({
    ...filled,
    email: 'Nelly@example.com',
    other_organization: ' http://team.parley.test/login/ ',
    other_password: PASSWORD,
  })

  assert.equal(home.path, '/')
  assert.equal((await ownState(browser)).user_settings.color_scheme, 2)
})

test('a user who joins without an invitation can import from the root organization', async () => {
  const { chat, team, ada } = await startWithOther()
  await submitPassword(chat, ada)
  await ada.succeed('PATCH /settings', { web_font_size_px: 20 })
  await chat.app.services.transaction((tx) => saveRealmSettings(tx, team.id, { invite_required: false }))
  const browser = openBrowser(chat, { host: 'team.parley.test' })
  await browser.open('/register/')
  await browser.submit({ email: ada.email })
  const mailed = (await chat.mail()).at(-1)?.text ?? ''
  await browser.open(/http:\/\/team\.parley\.test(\/accounts\/sign_up\/[\w.-]+\/)/.exec(mailed)?.[1] ?? '')

  const home = await browser.submit({ ...filled, other_organization: 'parley.test', other_password: PASSWORD })

  assert.equal(home.path, '/')
  assert.equal((await ownState(browser)).user_settings.web_font_size_px, 20)
})

test('without the password of that account nothing is imported and no account is created, and nothing is revealed', async () => {
  const { chat, team, ada, nelly } = await startWithOther()
  const away = await chat.user('away', { realm: team })
  await submitPassword(chat, away)
  await away.succeed('DELETE /users/me')
  const safe = await chat.user('safe', { realm: team })
  await submitPassword(chat, safe)
  const { secret, random, transaction } = chat.app.services
  await transaction((tx) => saveTotp(tx, { secret, random }, safe.id, { secret: newTotpSecret(random), lastStep: 0 }))
  const attempts = [
    ['nelly@example.com', 'team', 'a wrong guess'],
    ['nelly@example.com', 'team', ''],
    ['nelly@example.com', 'nowhere', PASSWORD],
    ['nelly@example.com', '', PASSWORD],
    ['nelly@example.com', 'http://[', PASSWORD],
    ['nelly@example.com', 'parley-system', PASSWORD],
    ['unknown@example.com', 'team', PASSWORD],
    ['away@example.com', 'team', PASSWORD],
    ['safe@example.com', 'team', PASSWORD],
  ] as const

  for (const [email, other_organization, other_password] of attempts) {
    const { browser } = await openInvitation(chat, ada, email)
    const response = await browser.submit({ ...filled, other_organization, other_password })
    assert.equal(response.status, 400, email)
    assert.match(response.text, new RegExp(`There is no account with ${email} in that organization, the password`))
    assert.match(response.body, /<details open>/)
    assert.doesNotMatch(response.body, new RegExp(PASSWORD))
    assert.equal((await browser.call('GET /users/me')).status, 401)
  }
  assert.equal((await nelly.call('GET /users/me')).status, 200)
})

test('passwords cannot be guessed on the joining page, and joining without importing still works', async () => {
  const { chat, ada } = await startWithOther({ RATE_LIMITING: true })
  const { browser } = await openInvitation(chat, ada)
  for (let attempt = 0; attempt < 5; attempt += 1)
    await browser.submit({ ...filled, other_organization: 'team', other_password: `guess ${attempt}` })

  const locked = await browser.submit({ ...filled, other_organization: 'team', other_password: PASSWORD })
  const joined = await browser.submit({ ...filled, other_organization: '', other_password: '' })

  assert.match(locked.text, /Too many attempts\. Join without importing/)
  assert.equal(joined.path, '/')
  assert.equal((await ownState(browser)).user_settings.color_scheme, 1)
})

test('the import is not offered on a server without another active organization', async () => {
  const { chat, team, ada } = await startWithOther()
  await chat.app.services.transaction((tx) => saveRealmFields(tx, team.id, { deactivatedAt: chat.clock.now() }))

  const { browser, page } = await openInvitation(chat, ada)
  const refused = await browser.submit({ ...filled, other_organization: 'team', other_password: PASSWORD })

  assert.doesNotMatch(page.text, /Import your settings/)
  assert.equal(refused.status, 400)
})
