import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UserSettings } from '#people/user-settings.ts'
import { type Person, type StartOptions, startChat } from '../../../test/harness.ts'
import { followsNothing, leaveChannel, sendDirect, sendToChannel } from '../../../test/messages.ts'
import { arrive } from '../../../test/missed-mail.ts'
import { openPushBrowser } from '../../../test/push-browser.ts'
import { allowsLoopback } from '../../../test/webhook-receiver.ts'

/** Starts an organization in which Ben has a browser with push notifications and Ada sends him messages. */
async function start({ own = {}, ...options }: StartOptions & { own?: Partial<UserSettings> } = {}) {
  const chat = await startChat({ ...options, settings: { ...allowsLoopback, ...options.settings } })
  const ada = await chat.user('ada', { settings: followsNothing })
  const ben = await chat.user('ben', { settings: { ...followsNothing, ...own } })
  const design = await chat.channel('design', [ada, ben])
  const bens = await openPushBrowser(chat, ben)
  await bens.subscribe()
  const titles = async () => (await bens.notifications()).map(({ title }) => title)
  return { chat, ada, ben, design, bens, titles }
}

const setInChannel = (person: Person, channel: { id: number }, property: string, value: boolean) =>
  person.succeed('POST /users/me/subscriptions/properties', {
    subscription_data: [{ stream_id: channel.id, property, value }],
  })

test('a user who is away is notified at once, with the sender, the conversation, the text and a link', async () => {
  const { ada, ben, design, bens } = await start()

  const direct = await sendDirect(ada, [ben], 'the **plan**\n\n```spoiler end\nall die\n```')
  const mention = await sendToChannel(ada, design, 'see this, @**Ben**', '✔ black tea')

  assert.deepEqual(await bens.notifications(), [
    {
      title: 'Ada',
      body: 'the plan end (Open the conversation to see the spoiler content.)',
      tag: `message ${direct}`,
      path: `/dm/${ada.id}?near=${direct}`,
      // The picture of a user who has uploaded none is on another server.
      icon: null,
    },
    {
      title: 'Ada in #design › black tea',
      body: 'see this, @Ben',
      tag: `message ${mention}`,
      path: `/channels/${design.id}?topic=%22%E2%9C%94%20black%20tea%22&near=${mention}`,
      icon: null,
    },
  ])
  const [{ headers, bytes } = assert.fail()] = bens.receiver.received
  assert.deepEqual([headers['content-encoding'], headers['ttl'], headers['urgency']], ['aes128gcm', '86400', 'high'])
  assert.ok(bytes.length <= 4096)
})

test('the notification of a long message with long names is small enough for every browser', async () => {
  const { chat, ben, bens } = await start()
  const wordy = await chat.user('wordy', { fullName: '🎉'.repeat(50) })
  const design = await chat.channel('🎨'.repeat(30), [wordy, ben])

  await sendToChannel(wordy, design, `@**Ben** ${'💬'.repeat(5000)}`, '🧵'.repeat(30))

  const [{ body } = assert.fail()] = await bens.notifications()
  assert.ok(body.endsWith('💬 …') && Array.from(body).length === 202)
  assert.ok((bens.receiver.received[0]?.bytes.length ?? 0) <= 4096)
})

test('channel messages cause notifications if the user wants them, and in followed topics', async () => {
  const { ada, ben, design, titles } = await start({ own: { enable_followed_topic_push_notifications: true } })
  await sendToChannel(ada, design, 'not for you', 'tea')

  await setInChannel(ben, design, 'push_notifications', true)
  await sendToChannel(ada, design, 'for all who want it', 'milk')
  assert.deepEqual(await titles(), ['Ada in #design › milk'])
  await setInChannel(ben, design, 'push_notifications', false)
  await sendToChannel(ada, design, 'again not', 'milk')
  await ben.succeed('POST /user_topics', { stream_id: design.id, topic: 'tea', visibility_policy: 3 })
  await sendToChannel(ada, design, 'followed', 'tea')

  assert.deepEqual(await titles(), ['Ada in #design › milk', 'Ada in #design › tea'])
})

test('users get no notifications if their settings say so, or from senders whom they muted', async () => {
  const { ada, ben, design, titles } = await start({ own: { enable_offline_push_notifications: false } })
  await sendDirect(ada, [ben])
  await sendToChannel(ada, design, '@**Ben**')
  await ben.succeed('PATCH /settings', { enable_offline_push_notifications: true })
  await ben.succeed(`POST /users/me/muted_users/${ada.id}`)
  await sendDirect(ada, [ben])

  assert.deepEqual(await titles(), [])
})

test('a user who is active has a few seconds to read a message before other browsers notify them', async () => {
  const { chat, ada, ben, bens } = await start()
  await arrive(ben)
  const read = await sendDirect(ada, [ben], 'read at once')
  await sendDirect(ada, [ben], 'not seen')
  const atOnce = await bens.notifications()
  await ben.succeed('POST /messages/flags', { messages: [read], op: 'add', flag: 'read' })

  await chat.clock.advance(10)

  assert.deepEqual(atOnce, [])
  assert.deepEqual(
    (await bens.notifications()).map(({ body }) => body),
    ['not seen'],
  )
})

for (const [isNotifiedOnline, title] of [
  [false, 'a user who wants notifications only while away is notified after leaving without having seen the message'],
  [true, 'a user who was notified while online is not notified again when the event queue expires'],
] as const)
  test(title, async () => {
    const { chat, ada, ben, titles } = await start({ own: { enable_online_push_notifications: isNotifiedOnline } })
    await arrive(ben)
    await chat.clock.advance(2)
    await sendDirect(ada, [ben])
    await chat.clock.advance(590)
    const whileThere = await titles()

    await chat.clock.advance(2 * 3600)

    assert.deepEqual([whileThere, await titles()], [isNotifiedOnline ? ['Ada'] : [], ['Ada']])
  })

test('a message that was deleted, is no longer readable or is a day old causes no notification', async () => {
  const { chat, ada, ben, design, bens, titles } = await start({ own: { enable_stream_push_notifications: true } })
  const hidden = await chat.channel('hidden', [ada, ben], { isPrivate: true })
  await arrive(ben)
  await sendToChannel(ada, hidden, 'secret')
  const deleted = await sendToChannel(ada, design, 'a slip')
  await sendToChannel(ada, design, 'old news')
  await leaveChannel(ben, hidden)
  await chat.change({ can_delete_own_message_group: 'role:everyone' })
  await ada.succeed(`DELETE /messages/${deleted}`)
  bens.receiver.behave((response) => response.writeHead(503).end())

  await chat.clock.advance(86_401)

  bens.receiver.received.splice(0)
  await chat.app.jobs.push.settled()
  assert.deepEqual(await titles(), [])
  assert.deepEqual(await chat.app.services.db.selectFrom('pushNotices').selectAll().execute(), [])
})

test('the text of direct messages stays hidden if the user wants that', async () => {
  const { ada, ben, bens } = await start({ own: { pm_content_in_desktop_notifications: false } })

  await sendDirect(ada, [ben], 'between us')

  assert.deepEqual(
    (await bens.notifications()).map(({ title, body }) => [title, body]),
    [['Ada', 'New direct message']],
  )
})

test('nothing is pushed to users who do not want to be disturbed, until the time that they chose', async () => {
  const { chat, ada, ben, titles } = await start()
  await ben.succeed('PATCH /settings', { do_not_disturb_until: Math.floor(chat.clock.now()) + 3600 })

  await sendDirect(ada, [ben], 'quiet')
  const during = await titles()
  await chat.clock.advance(3601)
  await sendDirect(ada, [ben], 'loud')

  assert.deepEqual(during, [])
  assert.deepEqual(await titles(), ['Ada'])
})
