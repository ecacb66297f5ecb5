import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findUser, saveUserFields } from '#people/user-queries.ts'
import type { UserSettings } from '#people/user-settings.ts'
import type { User } from '#people/users.ts'
import { BotType } from '#rules/role.ts'
import { sendWelcomeMessages } from '#workflows/accept-invitation.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { followsNothing, leaveChannel, sendDirect, sendToChannel } from '../../test/messages.ts'
import { arrive, mailAfter, subjectsAfter, WAIT } from '../../test/missed-mail.ts'

/** Creates a channel with two users. Ben is away. */
async function startDesign(settings: Partial<UserSettings> = {}) {
  const chat = await startChat()
  const ada = await chat.user('ada', { settings: followsNothing })
  const ben = await chat.user('ben', { settings: { ...followsNothing, ...settings } })
  const design = await chat.channel('design', [ada, ben])
  return { chat, ada, ben, design }
}

const setInChannel = (person: Person, channel: { id: number }, property: string, value: boolean) =>
  person.succeed('POST /users/me/subscriptions/properties', {
    subscription_data: [{ stream_id: channel.id, property, value }],
  })

const setTopicPolicy = (person: Person, channel: { id: number }, visibility_policy: number) =>
  person.succeed('POST /user_topics', { stream_id: channel.id, topic: 'tea', visibility_policy })

const pendingMails = (chat: Chat) => chat.app.services.db.selectFrom('missedMessages').selectAll().execute()

const markRead = (person: Person, id: number) =>
  person.succeed('POST /messages/flags', { messages: [id], op: 'add', flag: 'read' })

test('a user who is away gets one email per conversation after the batching period', async () => {
  const { chat, ada, ben } = await startDesign()
  await sendDirect(ada, [ben], 'the *first*')
  await sendDirect(ada, [ben], 'the second')

  const early = await mailAfter(chat, WAIT - 1, ben)
  const [mail, ...others] = await mailAfter(chat, 1, ben)

  assert.deepEqual([early, others], [[], []])
  assert.equal(mail?.subject, 'Direct messages with Ada')
  assert.match(mail?.text ?? '', /^Ada:\n> the first\n\nAda:\n> the second$/m)
  assert.match(mail?.html ?? '', /<p>the <em>first<\/em><\/p>.*<p>the second<\/p>/s)
  assert.match(mail?.text ?? '', new RegExp(`^http://parley\\.test/dm/${ada.id}\\?near=\\d+$`, 'm'))
  assert.deepEqual(await mailAfter(chat, 86_400, ada), [])
  assert.deepEqual(await pendingMails(chat), [])
})

test('all conversations get their emails when the first one is due', async () => {
  const { chat, ada, ben, design } = await startDesign()
  const cleo = await chat.user('cleo')
  await sendDirect(ada, [ben])
  await sendDirect(ada, [ben, cleo])
  await mailAfter(chat, WAIT - 10, ben)
  await sendToChannel(ada, design, '@**Ben** look')

  const subjects = await subjectsAfter(chat, 10, ben)

  assert.deepEqual(subjects.toSorted(), [
    '#design › tea',
    'Direct messages with Ada',
    'Direct messages with Ada and Cleo',
  ])
})

test('the batching period is a user setting', async () => {
  const { chat, ada, ben } = await startDesign({ email_notifications_batching_period_seconds: 3600 })
  await sendDirect(ada, [ben])

  assert.deepEqual(await subjectsAfter(chat, 3599, ben), [])
  assert.deepEqual(await subjectsAfter(chat, 1, ben), ['Direct messages with Ada'])
})

test('an online user gets no email until they are away', async () => {
  const { chat, ada, ben } = await startDesign()
  await arrive(ben)
  await mailAfter(chat, 2, ben)
  await sendDirect(ada, [ben])
  const whileOnline = await subjectsAfter(chat, 199, ben)
  await sendDirect(ada, [ben])

  assert.deepEqual(whileOnline, [])
  assert.deepEqual(await subjectsAfter(chat, WAIT, ben), ['Direct messages with Ada'])
})

test('a client without message events does not count as online, nor does activity without a client', async () => {
  const { chat, ada, ben } = await startDesign()
  const cleo = await chat.user('cleo')
  await ben.succeed('POST /register', { event_types: ['presence', 'update_message_flags'] })
  for (const person of [ben, cleo])
    await person.succeed('POST /users/me/presence', { status: 'active', ping_only: true })
  await mailAfter(chat, 2, ben)

  await sendDirect(ada, [ben])
  await sendDirect(ada, [cleo])

  assert.deepEqual(await subjectsAfter(chat, WAIT, ben), ['Direct messages with Ada'])
  assert.deepEqual(await subjectsAfter(chat, 0, cleo), ['Direct messages with Ada'])
})

test('if presence is disabled, a user with a connected client counts as online', async () => {
  const { chat, ada, ben } = await startDesign()
  const cleo = await chat.user('cleo')
  await chat.change({ presence_disabled: true })
  await ben.succeed('POST /register', { event_types: ['message'] })

  await sendDirect(ada, [ben])
  await sendDirect(ada, [cleo])

  assert.deepEqual(await subjectsAfter(chat, WAIT, ben), [])
  assert.deepEqual(await subjectsAfter(chat, 0, cleo), ['Direct messages with Ada'])
})

/**
 * Returns true if a user with these settings gets an email about a channel message. `prepare` runs before the message
 * is sent.
 */
async function isMailed(
  settings: Partial<UserSettings>,
  content: string,
  prepare: (ben: Person, design: { id: number; name: string }) => Promise<unknown> = async () => {},
): Promise<boolean> {
  const { chat, ada, ben, design } = await startDesign(settings)
  await sendToChannel(ben, design)
  await prepare(ben, design)
  await ada.succeed('POST /user_groups/create', { name: 'makers', description: '', members: [ben.id] })
  await sendToChannel(ada, design, content)
  return (await mailAfter(chat, WAIT, ben)).length > 0
}

test('user, group, channel and topic mentions are emailed', async () => {
  for (const content of ['@**Ben**', '@*makers*', '@**all**', '@**topic**']) {
    assert.equal(await isMailed({}, content), true, content)
    assert.equal(await isMailed({ enable_offline_email_notifications: false }, content), false, content)
  }
  assert.equal(await isMailed({}, 'hello @_**Ben**'), false)
})

test('personal mentions are emailed from muted topics too, and wildcard mentions follow their own settings', async () => {
  const isWildcardMailed = (
    settings: Partial<UserSettings>,
    prepare?: (ben: Person, design: { id: number; name: string }) => Promise<unknown>,
  ) => isMailed(settings, '@**all**', prepare)

  assert.equal(await isMailed({}, '@**Ben**', (ben, design) => setTopicPolicy(ben, design, 1)), true)
  assert.equal(await isWildcardMailed({}, (ben, design) => setTopicPolicy(ben, design, 1)), false)
  assert.equal(await isWildcardMailed({ wildcard_mentions_notify: false }), false)
  assert.equal(
    await isWildcardMailed({ wildcard_mentions_notify: false }, (ben, design) =>
      setInChannel(ben, design, 'wildcard_mentions_notify', true),
    ),
    true,
  )
  const followed = { wildcard_mentions_notify: false, enable_followed_topic_email_notifications: false }
  assert.equal(await isWildcardMailed(followed, (ben, design) => setTopicPolicy(ben, design, 3)), true)
  assert.equal(
    await isWildcardMailed({ ...followed, enable_followed_topic_wildcard_mentions_notify: false }, (ben, design) =>
      setTopicPolicy(ben, design, 3),
    ),
    false,
  )
})

test('all messages of a channel are emailed to users who want that and have not muted it', async () => {
  const wants = { enable_stream_email_notifications: true }
  const mute = (ben: Person, design: { id: number }) => setInChannel(ben, design, 'is_muted', true)

  assert.equal(await isMailed({}, 'hello'), false)
  assert.equal(await isMailed(wants, 'hello'), true)
  assert.equal(await isMailed({ ...wants, enable_offline_email_notifications: false }, 'hello'), true)
  assert.equal(
    await isMailed(wants, 'hello', (ben, design) => setInChannel(ben, design, 'email_notifications', false)),
    false,
  )
  assert.equal(
    await isMailed({}, 'hello', (ben, design) => setInChannel(ben, design, 'email_notifications', true)),
    true,
  )
  assert.equal(await isMailed(wants, 'hello', mute), false)
  assert.equal(await isMailed(wants, 'hello', (ben, design) => setTopicPolicy(ben, design, 1)), false)
  assert.equal(
    await isMailed(wants, 'hello', async (ben, design) => {
      await mute(ben, design)
      await setTopicPolicy(ben, design, 2)
    }),
    true,
  )
})

test('messages in followed topics are emailed, even in muted channels', async () => {
  const follow = (ben: Person, design: { id: number }) => setTopicPolicy(ben, design, 3)

  assert.equal(await isMailed({}, 'hello', follow), true)
  assert.equal(await isMailed({ enable_followed_topic_email_notifications: false }, 'hello', follow), false)
  assert.equal(
    await isMailed({}, 'hello', async (ben, design) => {
      await follow(ben, design)
      await setInChannel(ben, design, 'is_muted', true)
    }),
    true,
  )
})

test('no email is sent about own messages, to bots, or to users who mute the sender', async () => {
  const { chat, ada, ben, design } = await startDesign({ enable_stream_email_notifications: true })
  const bot = await chat.user('robot', { botType: BotType.generic, owner: ada })
  await sendToChannel(ben, design, '@**Ben** @**Robot**')
  await sendDirect(ben, [ben])
  await sendDirect(ben, [bot])
  await ben.succeed(`POST /users/me/muted_users/${ada.id}`)
  await sendDirect(ada, [ben])

  await mailAfter(chat, WAIT, ben)

  assert.deepEqual(await chat.mail(), [])
})

test('messages that were read, deleted, moved to an inaccessible channel or edited in the meantime are not emailed', async () => {
  const { chat, ada, ben, design } = await startDesign()
  const secret = await chat.channel('secret', [ada], { isPrivate: true })
  await chat.change({
    can_move_messages_between_channels_group: 'role:members',
    can_delete_own_message_group: 'role:members',
  })
  const [read, deleted] = [await sendDirect(ada, [ben]), await sendDirect(ada, [ben])]
  const moved = await sendToChannel(ada, design, '@**Ben**')
  const edited = await sendToChannel(ada, design, '@**Ben**', 'milk')
  assert.equal((await pendingMails(chat)).length, 4)

  await markRead(ben, read)
  await ada.succeed(`DELETE /messages/${deleted}`)
  await ada.succeed(`PATCH /messages/${moved}`, { stream_id: secret.id })
  await ada.succeed(`PATCH /messages/${edited}`, { content: 'nobody' })

  assert.deepEqual(await subjectsAfter(chat, WAIT, ben), [])
  assert.deepEqual(await pendingMails(chat), [])
})

test('users who leave a private channel or are deactivated get no email about earlier messages', async () => {
  const { chat, ada, ben } = await startDesign()
  const cleo = await chat.user('cleo')
  const secret = await chat.channel('secret', [ada, ben, cleo], { isPrivate: true })
  await sendToChannel(ada, secret, '@**Ben** @**Cleo**')

  await leaveChannel(ben, secret)
  await chat.app.services.transaction((tx) => saveUserFields(tx, cleo.id, { deactivatedAt: tx.now }))

  await mailAfter(chat, WAIT, ben)
  assert.deepEqual(await chat.mail(), [])
})

test('settings apply as they are when the email is due', async () => {
  const { chat, ada, ben } = await startDesign()
  await sendDirect(ada, [ben])

  await ben.succeed('PATCH /settings', { enable_offline_email_notifications: false })

  assert.deepEqual(await subjectsAfter(chat, WAIT, ben), [])
})

test('the email shows the current content and conversation of the messages', async () => {
  const { chat, ada, design, ben } = await startDesign()
  const id = await sendToChannel(ada, design, '@**Ben** tea?')
  await sendToChannel(ada, design, '@**Ben** or milk', 'milk')

  await ada.succeed(`PATCH /messages/${id}`, { content: '@**Ben** coffee?', topic: 'milk' })

  const [mail, ...others] = await mailAfter(chat, WAIT, ben)
  assert.deepEqual(others, [])
  assert.equal(mail?.subject, '#design › milk')
  assert.match(mail?.text ?? '', /> @Ben coffee\?\n\nAda:\n> @Ben or milk/)
})

test('a mention added by an edit is emailed once', async () => {
  const { chat, ada, ben, design } = await startDesign()
  const id = await sendToChannel(ada, design, 'hello')
  await mailAfter(chat, WAIT, ben)

  await ada.succeed(`PATCH /messages/${id}`, { content: 'hello @**Ben**' })
  const first = await subjectsAfter(chat, WAIT, ben)
  await ada.succeed(`PATCH /messages/${id}`, { content: 'hello again @**Ben**' })

  assert.deepEqual(first, ['#design › tea'])
  assert.equal((await mailAfter(chat, WAIT, ben)).length, 1)
})

test('welcome messages and notices about new users are not emailed', async () => {
  const { chat, ada, ben } = await startDesign()
  const { db, transaction } = chat.app.services
  const [newUser, inviter] = [await findUser(db, ben.id), await findUser(db, ada.id)]

  await transaction((tx) => sendWelcomeMessages(tx, newUser as User, inviter))

  await mailAfter(chat, WAIT, ben)
  assert.deepEqual(await chat.mail(), [])
})

test('a message that the client of an online user never fetched is emailed when the event queue expires', async () => {
  const { chat, ada, ben } = await startDesign()
  await arrive(ben)
  await mailAfter(chat, 2, ben)
  await sendDirect(ada, [ben], 'unseen')
  const whileOnline = await mailAfter(chat, 590, ben)
  const [mail] = await mailAfter(chat, 2 * 3600, ben)

  assert.deepEqual(whileOnline, [])
  assert.match(mail?.text ?? '', /> unseen$/m)
  assert.equal((await chat.mail()).length, 1)
})

test('an expiring event queue sends no second email, and none if another client can fetch the message', async () => {
  const { chat, ada, ben } = await startDesign()
  const cleo = await chat.user('cleo', { settings: followsNothing })
  await arrive(ben)
  await arrive(cleo)
  await cleo.succeed('POST /register', { event_types: ['message'], queue_lifespan_secs: 86_400 })
  await mailAfter(chat, 2, ben)
  await sendDirect(ada, [cleo])
  await mailAfter(chat, 300, ben)
  await sendDirect(ada, [ben])

  assert.equal((await mailAfter(chat, WAIT, ben)).length, 1)
  assert.equal((await mailAfter(chat, 4 * 3600, ben)).length, 1)
  assert.equal((await chat.mail()).length, 1)
})

test('if presence is disabled, messages sent before and after the event queue expires are each emailed once', async () => {
  const { chat, ada, ben } = await startDesign()
  await chat.change({ presence_disabled: true })
  await ben.succeed('POST /register', { event_types: ['message'] })
  await mailAfter(chat, 10, ben)
  await sendDirect(ada, [ben], 'before')
  await mailAfter(chat, 595, ben)
  await sendDirect(ada, [ben], 'after')

  await mailAfter(chat, 4 * 3600, ben)

  const lines = (await chat.mail()).flatMap(({ text }) => text.match(/^> \w+$/gm) ?? [])
  assert.deepEqual(lines.toSorted(), ['> after', '> before'])
})
