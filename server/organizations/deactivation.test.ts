import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRealm } from '#realms/queries.ts'
import { BotType, Role } from '#rules/role.ts'
import { openBrowser, PASSWORD, signIn } from '../../test/browser.ts'
import { type Chat, startChat } from '../../test/harness.ts'
import { changeRealmSettings } from './change-realm-settings.ts'
import { deactivateOrganization, findReactivation, REACTIVATION_VALIDITY } from './deactivation.ts'

/** Returns the path of the reactivation link in the last email to the address; undefined if it has none. */
async function mailedLink(chat: Chat, email: string): Promise<string | undefined> {
  const mail = (await chat.mail()).findLast(({ to }) => to.includes(email))
  return /http:\/\/parley\.test(\/reactivate\/[\w.-]+\/)/.exec(mail?.text ?? '')?.[1]
}

async function startDeactivated() {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  await ada.succeed('POST /realm/deactivate')
  return { chat, ada, ben }
}

test('deactivation ends sessions, cancels waiting emails and closes every way in', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  await chat.channel('news', [ada])
  const hook = await chat.user('hook', { botType: BotType.incomingWebhook, owner: ada })
  const browser = await signIn(chat, ben)
  await chat.app.jobs.mail.close()
  await ada.succeed('POST /invites', { invitee_emails: 'cleo@example.com', stream_ids: [] })

  await ada.succeed('POST /realm/deactivate', { deletion_delay_days: null })

  const mails = await chat.app.services.db.selectFrom('mails').select(['recipient', 'state']).orderBy('id').execute()
  assert.deepEqual(mails.slice(-2), [
    { recipient: 'cleo@example.com', state: 'cancelled' },
    { recipient: ada.email, state: 'queued' },
  ])
  assert.equal((await browser.call('GET /users/me')).status, 401)
  assert.match((await openBrowser(chat).open('/login/')).text, /This organization is deactivated/)
  const webhook = { method: 'POST', path: `/api/v1/external/json?stream=news&api_key=${hook.apiKey}` }
  const delivery = await chat.request({ ...webhook, headers: { host: 'parley.test' }, body: '{}' })
  assert.equal(delivery.status, 401)
  const sessions = await chat.app.services.db.selectFrom('sessions').select('id').execute()
  assert.deepEqual(sessions, [])
})

test('the data of a deactivated organization is never deleted', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })

  const refused = await ada.call('POST /realm/deactivate', { deletion_delay_days: 30 })

  assert.equal(refused.msg, 'This server keeps the data of deactivated organizations.')
  assert.equal((await ada.call('GET /users/me')).status, 200)
})

test('a session from a while ago needs the password to deactivate the organization', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const browser = await signIn(chat, ada)
  await chat.clock.advance(3600)

  const refused = await browser.call('POST /realm/deactivate')
  const wrong = await browser.call('POST /realm/deactivate', { password: 'wrong horse battery' })
  const right = await browser.call('POST /realm/deactivate', { password: PASSWORD })

  assert.deepEqual([refused.status, wrong.status, right.status], [400, 400, 200])
})

test('the link in the email to an owner reactivates the organization once, by the button', async () => {
  const { chat, ada, ben } = await startDeactivated()
  const link = (await mailedLink(chat, ada.email)) ?? ''
  const browser = openBrowser(chat)

  const asked = await browser.open(link)
  const before = await ben.call('GET /users/me')
  const done = await browser.submit()
  const after = await ben.call('GET /users/me')
  const again = await browser.open(link)

  assert.match(asked.text, /Reactivate Example\?/)
  assert.equal(before.status, 401)
  assert.match(done.text, /Example is active again/)
  assert.equal(after.status, 200)
  assert.match(again.text, /This link is no longer valid.*The organization is active/)
  const { entries } = await ada.succeed('GET /audit_log', { kinds: ['organization_reactivated'] })
  assert.deepEqual(
    (entries as { actor_id: number }[]).map((one) => one.actor_id),
    [ada.id],
  )

  await chat.clock.advance(60)
  await ada.succeed('POST /realm/deactivate')
  assert.equal((await browser.open(link)).status, 404)
})

test('links that are forged, expired or those of former owners do not reactivate', async () => {
  const { chat, ada, ben } = await startDeactivated()
  const link = (await mailedLink(chat, ada.email)) ?? ''
  const [payload = '', seal = ''] = link.slice('/reactivate/'.length, -1).split('.')
  const content = JSON.parse(Buffer.from(payload, 'base64url').toString()) as unknown[]
  const forged = Buffer.from(JSON.stringify(content.with(1, ben.id))).toString('base64url')
  const press = async (path: string) =>
    (await chat.request({ method: 'POST', path, headers: { host: 'parley.test' } })).status

  assert.equal(await press(`/reactivate/${forged}.${seal}/`), 404)
  const { transaction } = chat.app.services
  const changeRole = (role: number) =>
    transaction((tx) => tx.updateTable('users').set({ role }).where('id', '=', ada.id).execute())
  await changeRole(Role.member)
  assert.equal(await press(link), 404)
  await changeRole(Role.owner)
  const { db, secret } = chat.app.services
  const realm = (await findRealm(db, chat.realm.id)) ?? chat.realm
  const at = (now: number) => findReactivation(db, secret, realm, `${payload}.${seal}`, now)
  assert.deepEqual(await at(chat.clock.now() + REACTIVATION_VALIDITY - 1), { ownerId: ada.id })
  assert.equal(await at(chat.clock.now() + REACTIVATION_VALIDITY), null)
  assert.equal((await ben.call('GET /users/me')).status, 401)
})

test('owners cannot reactivate what the operator deactivated', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })

  await chat.app.services.transaction((tx) => changeRealmSettings(tx, chat.realm, { deactivated: true }))

  assert.match((await chat.mail()).at(-1)?.text ?? '', /The operator of the server deactivated the organization/)
  assert.equal(await mailedLink(chat, ada.email), undefined)
})

test('the operator makes the link of an owner invalid by deactivating the organization once more', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  await chat.app.services.transaction((tx) => deactivateOrganization(tx, chat.realm, ada.id))
  const link = await mailedLink(chat, ada.email)
  assert.equal((await openBrowser(chat).open(link ?? '')).status, 200)
  const { db, transaction } = chat.app.services
  const realm = await findRealm(db, chat.realm.id)
  await chat.clock.advance(1)

  await transaction((tx) => changeRealmSettings(tx, realm!, { deactivated: true }))

  assert.equal((await openBrowser(chat).open(link ?? '')).status, 404)
})
