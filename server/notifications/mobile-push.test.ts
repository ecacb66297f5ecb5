import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { type Body, START, type StartOptions, startChat } from '../../test/harness.ts'
import { followsNothing, sendDirect, sendToChannel } from '../../test/messages.ts'
import { startWebhookReceiver, type WebhookRequest } from '../../test/webhook-receiver.ts'
import { registerWithPushService } from './push.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const ROOT = '/api/v1/remotes/'

type Answer = { status?: number; body: Record<string, unknown> }

/**
 * A stand-in for the push service. It knows servers that registered, the organizations that they named, and devices, and
 * refuses everything else as the service of the reference server does.
 */
async function startPushService() {
  const receiver = await startWebhookReceiver()
  const servers = new Map<string, string>()
  const realms = new Set<string>()
  const devices: Record<string, string>[] = []
  const notified: Body[] = []
  let next: Answer | null = null

  function respond({ path, headers, body }: WebhookRequest): Answer {
    assert.ok(path.startsWith(ROOT), path)
    const route = path.slice(ROOT.length)
    const isJson = headers['content-type'] === 'application/json'
    const fields = isJson ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body))
    if (route === 'server/register') {
      assert.deepEqual(Object.keys(fields), ['zulip_org_id', 'zulip_org_key', 'hostname', 'contact_email'])
      assert.match(fields.zulip_org_id, UUID)
      assert.match(fields.zulip_org_key, /^[0-9a-f]{64}$/)
      servers.set(fields.zulip_org_id, fields.zulip_org_key)
      return { body: { result: 'success', msg: '', created: true } }
    }
    const [id = '', key] = Buffer.from(headers.authorization?.replace('Basic ', '') ?? '', 'base64')
      .toString()
      .split(':')
    if (key === undefined || servers.get(id) !== key)
      return { status: 401, body: { result: 'error', msg: 'Zulip server auth failure', code: 'INVALID_ZULIP_SERVER' } }
    if (route === 'server/analytics') {
      assert.deepEqual([fields.realm_counts, fields.installation_counts], ['[]', '[]'])
      for (const realm of JSON.parse(fields.realms)) {
        assert.deepEqual(Object.keys(realm).toSorted(), [
          ...['authentication_methods', 'date_created', 'deactivated', 'host', 'id', 'is_system_bot_realm', 'name'],
          ...['org_type', 'url', 'uuid', 'uuid_owner_secret'],
        ])
        realms.add(realm.uuid)
      }
      return { body: { result: 'success', msg: '' } }
    }
    assert.match(fields.user_uuid, UUID)
    if (!realms.has(fields.realm_uuid))
      return {
        status: 400,
        body: { result: 'error', msg: 'Organization not registered', code: 'MISSING_REMOTE_REALM' },
      }
    if (next !== null) {
      const answer = next
      next = null
      return answer
    }
    if (route === 'push/register') {
      assert.equal(fields.server_uuid, id)
      devices.push(fields)
    } else if (route === 'push/unregister')
      devices.splice(
        devices.findIndex(({ token }) => token === fields.token),
        1,
      )
    else if (route === 'push/notify') notified.push(fields)
    else assert.equal(route, 'push/test_notification')
    return { body: { result: 'success', msg: '' } }
  }
  receiver.behave((response, request) => {
    const { status = 200, body } = respond(request)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  return {
    url: `http://127.0.0.1:${receiver.port}`,
    ...{ receiver, servers, realms, devices, notified },
    /** Sets the answer to the next request about a user. */
    answerNext: (answer: Answer) => {
      next = answer
    },
  }
}

const APPLE = { token: 'c0ffee00'.repeat(8), appid: 'com.zulip.flutter' }

/** Starts a server that is registered with a push service, and a channel of Ada and Ben. */
async function start({ settings, ...options }: StartOptions = {}) {
  const service = await startPushService()
  const chat = await startChat({
    ...options,
    settings: { PUSH_SERVICE_URL: service.url, ...settings },
  })
  const { db, secret } = chat.app.services
  assert.equal(await registerWithPushService({ settings: chat.settings, secret }, db, 'ops@example.com'), null)
  const ada = await chat.user('ada', { role: Role.administrator, settings: followsNothing, fullName: 'Ada Lovelace' })
  const ben = await chat.user('ben', { settings: followsNothing })
  const design = await chat.channel('design', [ada, ben])
  const settled = () => chat.app.jobs.mobilePush?.settled()
  return { chat, service, ada, ben, design, settled }
}

test('the server and its organizations are registered with credentials that it does not store', async () => {
  const { chat, service } = await start()
  const [id] = service.servers.keys()

  assert.match(id ?? '', UUID)
  assert.ok(service.realms.size >= 1)
  const { secret, db } = chat.app.services
  await registerWithPushService({ settings: chat.settings, secret }, db, 'other@example.com')
  assert.equal(service.servers.size, 1)
})

test('devices are registered with the service, and those that it refuses are not saved', async () => {
  const { chat, service, ben } = await start()

  await ben.succeed('POST /users/me/apns_device_token', APPLE)
  await ben.succeed('POST /users/me/android_gcm_reg_id', { token: 'android' })
  const registered = service.devices.map(({ token_kind, token, ios_app_id, user_id }) => ({
    ...{ token_kind, token, ios_app_id, user_id },
  }))
  service.answerNext({ status: 400, body: { result: 'error', msg: 'Invalid token', code: 'BAD_REQUEST' } })
  const refused = await ben.call('POST /users/me/android_gcm_reg_id', { token: 'bad' })
  service.answerNext({ status: 500, body: {} })
  const failed = await ben.call('POST /users/me/android_gcm_reg_id', { token: 'late' })
  await ben.succeed('DELETE /users/me/android_gcm_reg_id', { token: 'android' })

  const user_id = String(ben.id)
  assert.deepEqual(registered, [
    { token_kind: '1', token: APPLE.token, ios_app_id: APPLE.appid, user_id },
    { token_kind: '2', token: 'android', ios_app_id: undefined, user_id },
  ])
  assert.deepEqual([refused.status, refused.msg], [400, 'The push service refused the device: Invalid token'])
  assert.equal(failed.status, 502)
  assert.deepEqual(
    service.devices.map(({ token }) => token),
    [APPLE.token],
  )
  const stored = await chat.app.services.db.selectFrom('pushTokens').select('token').execute()
  assert.deepEqual(stored, [{ token: APPLE.token }])
})

test('an organization that the service does not know yet is made known with its first device', async () => {
  const { chat, service } = await start()
  const harbor = await chat.organization('harbor')
  const hana = await chat.user('hana', { realm: harbor })

  await hana.succeed('POST /users/me/android_gcm_reg_id', { token: 'harbor' })

  assert.deepEqual(
    service.devices.map(({ token }) => token),
    ['harbor'],
  )
})

test('a message is sent to all devices in the form that the apps expect', async () => {
  const { chat, service, ada, ben, design, settled } = await start()
  await ben.succeed('POST /users/me/apns_device_token', APPLE)
  await ben.succeed('POST /users/me/android_gcm_reg_id', { token: 'android' })

  const direct = await sendDirect(ada, [ben], 'the **plan**')
  await settled()
  const mention = await sendToChannel(ada, design, 'see this, @**ben**', 'tea')
  await settled()

  const base = {
    server: 'parley.test',
    realm_id: chat.realm.id,
    realm_uri: 'http://parley.test',
    realm_url: 'http://parley.test',
    realm_name: chat.realm.name,
    user_id: ben.id,
    sender_id: ada.id,
    sender_email: ada.email,
    time: START,
  }
  const [first, second] = service.notified as [Body, Body]
  assert.deepEqual(
    { ...first, gcm_payload: { ...first['gcm_payload'], sender_avatar_url: '' } },
    {
      ...{ user_uuid: first['user_uuid'], realm_uuid: first['realm_uuid'], user_id: ben.id },
      apns_payload: {
        alert: { title: 'Ada Lovelace', subtitle: '', body: 'the plan' },
        sound: 'default',
        badge: 0,
        custom: { zulip: { ...base, recipient_type: 'private', message_ids: [direct] } },
      },
      gcm_payload: {
        ...base,
        recipient_type: 'private',
        event: 'message',
        zulip_message_id: direct,
        content: 'the plan',
        content_truncated: false,
        sender_full_name: 'Ada Lovelace',
        sender_avatar_url: '',
      },
      gcm_options: { priority: 'high' },
      android_devices: ['android'],
      apple_devices: [APPLE.token],
    },
  )
  assert.match(first['gcm_payload'].sender_avatar_url, /^https:\/\/secure\.gravatar\.com\/avatar\//)
  assert.deepEqual(second['apns_payload'].alert, {
    title: '#design > tea',
    subtitle: 'Ada Lovelace mentioned you:',
    body: 'see this, @Ben',
  })
  const channel = { recipient_type: 'stream', stream: 'design', stream_id: design.id, topic: 'tea' }
  assert.deepEqual(second['apns_payload'].custom.zulip, { ...base, ...channel, message_ids: [mention] })
})

test('notifications of messages that were read or deleted are removed from the devices', async () => {
  const { chat, service, ada, ben, settled } = await start()
  await ben.succeed('POST /users/me/android_gcm_reg_id', { token: 'android' })
  const ids = [await sendDirect(ada, [ben], 'one')]
  await settled()
  ids.push(await sendDirect(ada, [ben], 'two'))
  await settled()
  ids.push(await sendDirect(ada, [ben], 'three'))
  await settled()
  service.notified.length = 0

  await ben.succeed('POST /messages/flags', { messages: ids.slice(0, 1), op: 'add', flag: 'read' })
  await ada.succeed(`DELETE /messages/${ids[1]}`)
  await chat.clock.advance(30)
  await settled()

  const [removed, ...others] = service.notified as [Body]
  assert.deepEqual(others, [])
  const expected = { event: 'remove', zulip_message_ids: `${ids[1]},${ids[0]}` }
  const { event, zulip_message_ids, zulip_message_id } = removed['gcm_payload']
  assert.deepEqual({ event, zulip_message_ids }, expected)
  assert.deepEqual(
    [zulip_message_id, removed['gcm_options'].priority, removed['apns_payload'].badge],
    [ids[1], 'normal', 0],
  )
  assert.equal(removed['apns_payload'].custom.zulip.zulip_message_ids, expected.zulip_message_ids)
  const left = await chat.app.services.db.selectFrom('mobilePushes').select('messageId').execute()
  assert.deepEqual(left, [{ messageId: ids[2] }])
})

test('a failed notification is sent again, a refused one is dropped, and unknown devices are forgotten', async () => {
  const { chat, service, ada, ben, settled } = await start({ settings: { LOG_LEVEL: 'silent' } })
  await ben.succeed('POST /users/me/android_gcm_reg_id', { token: 'android' })
  await ben.succeed('POST /users/me/android_gcm_reg_id', { token: 'old' })

  service.answerNext({ status: 503, body: {} })
  await sendDirect(ada, [ben], 'one')
  await settled()
  const afterFailure = service.notified.length
  service.answerNext({ body: { result: 'success', deleted_devices: { android_devices: ['old'], apple_devices: [] } } })
  await chat.clock.advance(10)
  await settled()
  service.answerNext({ status: 400, body: { result: 'error', msg: 'Your plan does not allow it' } })
  await sendDirect(ada, [ben], 'two')
  await settled()
  const pending = await chat.app.services.db.selectFrom('mobilePushes').select('sentAt').execute()
  await sendDirect(ada, [ben], 'three')
  await settled()

  assert.equal(afterFailure, 0)
  assert.equal(pending.length, 1)
  assert.deepEqual(
    service.notified.map(({ android_devices }) => android_devices),
    [['android']],
  )
})

test('the text can be hidden from the service, and without a service nothing is sent', async () => {
  const hidden = await start({ settings: { PUSH_SERVICE_HIDES_CONTENT: true } })
  await hidden.ben.succeed('POST /users/me/android_gcm_reg_id', { token: 'android' })
  await sendDirect(hidden.ada, [hidden.ben], 'the plan')
  await hidden.settled()
  const enabled = await hidden.ben.succeed('GET /server_settings')
  const text = JSON.stringify(hidden.service.notified)

  const chat = await startChat()
  const ben = await chat.user('ben')
  await ben.succeed('POST /users/me/android_gcm_reg_id', { token: 'android' })
  const disabled = await ben.succeed('GET /server_settings')

  assert.deepEqual([enabled['push_notifications_enabled'], disabled['push_notifications_enabled']], [true, false])
  assert.ok(text.includes('New message') && !text.includes('the plan'))
  assert.equal(chat.app.jobs.mobilePush, null)
})

test('a test notification reaches the chosen device', async () => {
  const { service, ben } = await start()
  await ben.succeed('POST /users/me/android_gcm_reg_id', { token: 'android' })

  await ben.succeed('POST /mobile_push/test_notification', { token: 'android' })
  service.answerNext({ status: 400, body: { code: 'INVALID_REMOTE_PUSH_DEVICE_TOKEN', msg: 'x' } })
  const unknown = await ben.call('POST /mobile_push/test_notification')

  const sent = JSON.parse(service.receiver.received.at(-2)?.body ?? '{}')
  assert.deepEqual([sent.token, sent.token_kind, sent.base_payload.user_id], ['android', 2, ben.id])
  assert.equal(unknown.code, 'INVALID_REMOTE_PUSH_DEVICE_TOKEN')
})
