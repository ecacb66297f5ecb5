import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveRealmFields } from '#realms/queries.ts'
import { Role } from '#rules/role.ts'
import { type Person, startChat } from '../../../test/harness.ts'

const DAY = 86_400

async function invite(person: Person, emails: string) {
  return person.call('POST /invites', { invitee_emails: emails, stream_ids: [] })
}

const addresses = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}${at}@x.com`).join()

test('no daily limit applies on servers where not everyone can create organizations', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')

  assert.equal((await invite(alice, addresses(150, 'a'))).status, 200)
})

test('every requested address counts towards the daily limit, which has passed two days later', async () => {
  const chat = await startChat({ settings: { OPEN_REALM_CREATION: true } })
  const alice = await chat.user('alice')
  await chat.app.services.transaction((tx) =>
    saveRealmFields(tx, chat.realm.id, { createdAt: chat.clock.now() - 30 * DAY }),
  )
  await chat.change({ max_invites: 5 })
  await invite(alice, addresses(4, 'a'))

  const beyond = await invite(alice, 'new@x.com,alice@example.com')
  await chat.clock.advance(DAY)
  const nextDay = await invite(alice, 'new@x.com,other@x.com')
  await chat.clock.advance(DAY)
  const twoDaysLater = await invite(alice, 'new@x.com,other@x.com')

  assert.equal(beyond.code, 'INVITATION_FAILED')
  assert.deepEqual(
    [beyond['daily_limit_reached'], beyond['license_limit_reached'], beyond['sent_invitations'], beyond['errors']],
    [true, false, false, []],
  )
  assert.equal(nextDay['daily_limit_reached'], true)
  assert.equal(twoDaysLater.status, 200)
})

test('the daily limit is checked before the addresses', async () => {
  const chat = await startChat({ settings: { OPEN_REALM_CREATION: true } })
  const alice = await chat.user('alice')
  await chat.change({ max_invites: 0 })

  const response = await invite(alice, 'noatsign')

  assert.deepEqual([response['daily_limit_reached'], response['errors']], [true, []])
})

test('new organizations share one limit', async () => {
  const chat = await startChat({ settings: { OPEN_REALM_CREATION: true, INVITES_NEW_REALM_DAILY_MAX: 10 } })
  const alice = await chat.user('alice')
  const eve = await chat.user('eve', { realm: await chat.organization('other') })
  await chat.change({ max_invites: 10 })
  await chat.app.services.transaction((tx) =>
    tx.updateTable('realms').set({ settings: '{"max_invites":10}' }).where('id', '=', eve.realm.id).execute(),
  )
  await invite(alice, addresses(8, 'a'))

  const response = await invite(eve, addresses(3, 'b'))
  await chat.clock.advance(DAY)
  const nextDay = await invite(eve, addresses(3, 'b'))

  assert.equal(response['daily_limit_reached'], true)
  assert.equal(nextDay['result'], 'success')
})

test('an older organization neither shares the limit of new ones nor counts towards it', async () => {
  const limits = { INVITES_NEW_REALM_DAILY_MAX: 10, INVITES_NEW_REALM_DAYS: 7 }
  const chat = await startChat({ settings: { OPEN_REALM_CREATION: true, ...limits } })
  const alice = await chat.user('alice')
  const eve = await chat.user('eve', { realm: await chat.organization('other') })
  await chat.change({ max_invites: 10 })
  const older = { settings: '{"max_invites":10}', createdAt: chat.clock.now() - 7 * DAY }
  await chat.app.services.transaction((tx) =>
    tx.updateTable('realms').set(older).where('id', '=', eve.realm.id).execute(),
  )

  const responses = [
    await invite(alice, addresses(8, 'a')),
    await invite(eve, addresses(10, 'b')),
    await invite(alice, addresses(2, 'c')),
  ]

  assert.deepEqual(
    responses.map(({ result }) => result),
    ['success', 'success', 'success'],
  )
})

test('a new organization with a higher limit does not count towards the shared one', async () => {
  const chat = await startChat({ settings: { OPEN_REALM_CREATION: true, INVITES_NEW_REALM_DAILY_MAX: 10 } })
  const alice = await chat.user('alice')
  const eve = await chat.user('eve', { realm: await chat.organization('other') })
  await chat.change({ max_invites: 10 })
  await invite(eve, addresses(11, 'a'))

  const response = await invite(alice, addresses(10, 'b'))
  const byEve = await invite(eve, addresses(11, 'c'))

  assert.equal(response['result'], 'success')
  assert.equal(byEve['result'], 'success')
})

test('existing accounts and invited addresses count towards the licenses', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')
  await chat.user('gus', { role: Role.guest })
  await chat.user('bot', { botType: 1, owner: alice })
  await chat.change({ license_limit: 3 })

  const within = await invite(alice, 'a@x.com,b@x.com')
  const beyond = await invite(alice, 'a@x.com,b@x.com,c@x.com')

  assert.equal(within.status, 200)
  assert.deepEqual([beyond['license_limit_reached'], beyond['sent_invitations']], [true, false])
  assert.equal((await chat.mail()).length, 2)
})

test('in organizations open to everyone, new accounts cannot invite yet, except administrators', async () => {
  const chat = await startChat()
  const now = chat.clock.now()
  const fresh = await chat.user('fresh', { joinedAt: now - 3 * DAY + 1 })
  const admin = await chat.user('admin', { role: Role.administrator, joinedAt: now })
  const experienced = await chat.user('seasoned', { joinedAt: now - 3 * DAY })
  await chat.change({ invite_required: false })

  const tooNew = await invite(fresh, 'a@x.com')

  assert.match(tooNew.msg, /^Your account is too new/)
  assert.deepEqual(
    [tooNew['errors'], tooNew['sent_invitations'], tooNew['daily_limit_reached'], tooNew['license_limit_reached']],
    [[], false, false, false],
  )
  assert.equal((await invite(admin, 'b@x.com')).status, 200)
  assert.equal((await invite(experienced, 'c@x.com')).status, 200)
})
