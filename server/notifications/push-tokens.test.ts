import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalResponse } from '../../test/channels.ts'
import { type Chat, startChat } from '../../test/harness.ts'

const apple = '/users/me/apns_device_token'
const android = '/users/me/android_gcm_reg_id'
const hex = 'c0ffee00'.repeat(8)
const appid = 'com.zulip.flutter'

function stored({ app }: Chat) {
  const columns = ['userId', 'service', 'token', 'appId'] as const
  return app.services.db.selectFrom('pushTokens').select(columns).orderBy('userId').orderBy('service').execute()
}

test('the token of a device is saved once per user, and can be removed', async () => {
  const chat = await startChat()
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]

  for (const id of ['org.zulip.Zulip', appid]) await ben.succeed(`POST ${apple}`, { token: hex, appid: id })
  for (const person of [ben, cleo, ben]) await person.succeed(`POST ${android}`, { token: 'android' })
  const all = await stored(chat)
  await ben.succeed(`DELETE ${apple}`, { token: hex })
  await ben.succeed(`DELETE ${android}`, { token: 'android' })

  const ofCleo = { userId: cleo.id, service: 'fcm', token: 'android', appId: null }
  assert.deepEqual(all, [
    { userId: ben.id, service: 'apns', token: hex, appId: appid },
    { userId: ben.id, service: 'fcm', token: 'android', appId: null },
    ofCleo,
  ])
  assert.deepEqual(await stored(chat), [ofCleo])
})

test('invalid tokens are refused, and so is removing a missing one', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const bot = await chat.user('bot', { botType: 1, owner: ben })

  for (const token of ['', 'x'.repeat(4097)]) {
    assert.deepEqual(
      await ben.call(`POST ${apple}`, { token, appid }),
      refusalResponse('Empty or invalid length token'),
    )
    assert.deepEqual(await ben.call(`POST ${android}`, { token }), refusalResponse('Empty or invalid length token'))
    assert.deepEqual(await ben.call(`DELETE ${android}`, { token }), refusalResponse('Empty or invalid length token'))
  }
  assert.deepEqual(await ben.call(`POST ${apple}`, { token: 'apple', appid }), refusalResponse('Invalid APNS token'))
  assert.deepEqual(await ben.call(`POST ${apple}`, { token: hex, appid: 'an app' }), refusalResponse('Invalid app ID'))
  assert.deepEqual(await ben.call(`DELETE ${apple}`, { token: hex }), refusalResponse('Token does not exist'))
  assert.deepEqual(await ben.call(`DELETE ${android}`, { token: hex }), refusalResponse('Token does not exist'))
  assert.equal((await bot.call(`POST ${android}`, { token: 'x' })).status, 400)
  assert.deepEqual(await stored(chat), [])
})

test('the test notification endpoint explains that no notifications are sent', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  await ben.succeed(`POST ${android}`, { token: 'mine' })
  const ask = (token?: string) => ben.call('POST /mobile_push/test_notification', { token })

  const none = refusalResponse('Push notifications are not configured on this server.')
  assert.deepEqual(await ask(), none)
  assert.deepEqual(await ask('mine'), none)
  assert.deepEqual(await ask('unknown'), refusalResponse('Device not recognized', 'INVALID_PUSH_DEVICE_TOKEN'))
})
