import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'
import { followsNothing, leaveChannel, sendDirect, sendToChannel } from '../../../test/messages.ts'
import { arrive, mailAfter, subjectsAfter, WAIT } from '../../../test/missed-mail.ts'
import { sendWelcomeMessages } from '../../invitations/joining/send-welcome-messages.ts'
import { findUser, saveUserFields } from '../../people/users/queries.ts'
import { BotType } from '../../people/users/role.ts'
import type { UserSettings } from '../../people/users/settings/settings.ts'
import type { User } from '../../people/users/user.ts'

/** Two people in a channel, of whom one says something while the other is away. */
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

const decide = (person: Person, channel: { id: number }, visibility_policy: number) =>
  person.succeed('POST /user_topics', { stream_id: channel.id, topic: 'tea', visibility_policy })

const notes = (chat: Chat) => chat.app.services.db.selectFrom('missedMessages').selectAll().execute()

const readAll = (person: Person, id: number) =>
  person.succeed('POST /messages/flags', { messages: [id], op: 'add', flag: 'read' })

test('who is away gets one mail about a conversation, once the time to wait for more is over', async () => {
  const { chat, ada, ben } = await startDesign()
  await sendDirect(ada, [ben], 'the *first*')
  await sendDirect(ada, [ben], 'the second')

  const early = await mailAfter(chat, WAIT - 1, ben)
  const [mail, ...others] = await mailAfter(chat, 1, ben)

  assert.deepEqual([early, others], [[], []])
  assert.equal(mail?.subject, 'DMs with Ada')
  assert.match(mail?.text ?? '', /^Ada:\n> the first\n\nAda:\n> the second$/m)
  assert.match(mail?.html ?? '', /<p>the <em>first<\/em><\/p>.*<p>the second<\/p>/s)
  assert.match(mail?.text ?? '', new RegExp(`^http://parley\\.test/dm/${ada.id}\\?near=\\d+$`, 'm'))
  assert.deepEqual(await mailAfter(chat, 86_400, ada), [])
  assert.deepEqual(await notes(chat), [])
})

test('each conversation has a mail of its own, and all of them come when the first is due', async () => {
  const { chat, ada, ben, design } = await startDesign()
  const cleo = await chat.user('cleo')
  await sendDirect(ada, [ben])
  await sendDirect(ada, [ben, cleo])
  await mailAfter(chat, WAIT - 10, ben)
  await sendToChannel(ada, design, '@**Ben** look')

  const subjects = await subjectsAfter(chat, 10, ben)

  assert.deepEqual(subjects.toSorted(), ['#design › tea', 'DMs with Ada', 'DMs with Ada and Cleo'])
})

test('somebody decides how long to wait for more', async () => {
  const { chat, ada, ben } = await startDesign({ email_notifications_batching_period_seconds: 3600 })
  await sendDirect(ada, [ben])

  assert.deepEqual(await subjectsAfter(chat, 3599, ben), [])
  assert.deepEqual(await subjectsAfter(chat, 1, ben), ['DMs with Ada'])
})

test('who is there gets no mail, and who is no longer there does', async () => {
  const { chat, ada, ben } = await startDesign()
  await arrive(ben)
  await mailAfter(chat, 2, ben)
  await sendDirect(ada, [ben])
  const whileThere = await subjectsAfter(chat, 199, ben)
  await sendDirect(ada, [ben])

  assert.deepEqual(whileThere, [])
  assert.deepEqual(await subjectsAfter(chat, WAIT, ben), ['DMs with Ada'])
})

test('a client that is told of no messages does not count, nor does activity without a client', async () => {
  const { chat, ada, ben } = await startDesign()
  const cleo = await chat.user('cleo')
  await ben.succeed('POST /register', { event_types: ['presence', 'update_message_flags'] })
  for (const person of [ben, cleo])
    await person.succeed('POST /users/me/presence', { status: 'active', ping_only: true })
  await mailAfter(chat, 2, ben)

  await sendDirect(ada, [ben])
  await sendDirect(ada, [cleo])

  assert.deepEqual(await subjectsAfter(chat, WAIT, ben), ['DMs with Ada'])
  assert.deepEqual(await subjectsAfter(chat, 0, cleo), ['DMs with Ada'])
})

test('where presence is switched off, whoever has a client connected is there', async () => {
  const { chat, ada, ben } = await startDesign()
  const cleo = await chat.user('cleo')
  await chat.change({ presence_disabled: true })
  await ben.succeed('POST /register', { event_types: ['message'] })

  await sendDirect(ada, [ben])
  await sendDirect(ada, [cleo])

  assert.deepEqual(await subjectsAfter(chat, WAIT, ben), [])
  assert.deepEqual(await subjectsAfter(chat, 0, cleo), ['DMs with Ada'])
})

/** Whether somebody with these settings is mailed about something said in a channel, after `prepare`. */
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

test('mentions are mailed: of a person, a group, a channel and a topic', async () => {
  for (const content of ['@**Ben**', '@*makers*', '@**all**', '@**topic**']) {
    assert.equal(await isMailed({}, content), true, content)
    assert.equal(await isMailed({ enable_offline_email_notifications: false }, content), false, content)
  }
  assert.equal(await isMailed({}, 'hello @_**Ben**'), false)
})

test('personal mentions come from muted topics, too; mentions of everybody by what is set for them', async () => {
  const isWildcardMailed = (
    settings: Partial<UserSettings>,
    prepare?: (ben: Person, design: { id: number; name: string }) => Promise<unknown>,
  ) => isMailed(settings, '@**all**', prepare)

  assert.equal(await isMailed({}, '@**Ben**', (ben, design) => decide(ben, design, 1)), true)
  assert.equal(await isWildcardMailed({}, (ben, design) => decide(ben, design, 1)), false)
  assert.equal(await isWildcardMailed({ wildcard_mentions_notify: false }), false)
  assert.equal(
    await isWildcardMailed({ wildcard_mentions_notify: false }, (ben, design) =>
      setInChannel(ben, design, 'wildcard_mentions_notify', true),
    ),
    true,
  )
  const followed = { wildcard_mentions_notify: false, enable_followed_topic_email_notifications: false }
  assert.equal(await isWildcardMailed(followed, (ben, design) => decide(ben, design, 3)), true)
  assert.equal(
    await isWildcardMailed({ ...followed, enable_followed_topic_wildcard_mentions_notify: false }, (ben, design) =>
      decide(ben, design, 3),
    ),
    false,
  )
})

test('all that is said in a channel is mailed to whoever wants that, unless they muted it', async () => {
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
  assert.equal(await isMailed(wants, 'hello', (ben, design) => decide(ben, design, 1)), false)
  assert.equal(
    await isMailed(wants, 'hello', async (ben, design) => {
      await mute(ben, design)
      await decide(ben, design, 2)
    }),
    true,
  )
})

test('what is said in a followed topic is mailed, in a muted channel too', async () => {
  const follow = (ben: Person, design: { id: number }) => decide(ben, design, 3)

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

test('nobody is mailed about their own messages, nor a bot, nor whoever mutes the sender', async () => {
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

test('what was read, deleted, moved out of reach or is wanted no more by then is not mailed', async () => {
  const { chat, ada, ben, design } = await startDesign()
  const secret = await chat.channel('secret', [ada], { isPrivate: true })
  await chat.change({
    can_move_messages_between_channels_group: 'role:members',
    can_delete_own_message_group: 'role:members',
  })
  const [read, deleted] = [await sendDirect(ada, [ben]), await sendDirect(ada, [ben])]
  const moved = await sendToChannel(ada, design, '@**Ben**')
  const edited = await sendToChannel(ada, design, '@**Ben**', 'milk')
  assert.equal((await notes(chat)).length, 4)

  await readAll(ben, read)
  await ada.succeed(`DELETE /messages/${deleted}`)
  await ada.succeed(`PATCH /messages/${moved}`, { stream_id: secret.id })
  await ada.succeed(`PATCH /messages/${edited}`, { content: 'nobody' })

  assert.deepEqual(await subjectsAfter(chat, WAIT, ben), [])
  assert.deepEqual(await notes(chat), [])
})

test('who leaves a private channel, or is deactivated, gets nothing of what was said before', async () => {
  const { chat, ada, ben } = await startDesign()
  const cleo = await chat.user('cleo')
  const secret = await chat.channel('secret', [ada, ben, cleo], { isPrivate: true })
  await sendToChannel(ada, secret, '@**Ben** @**Cleo**')

  await leaveChannel(ben, secret)
  await chat.app.services.transaction((tx) => saveUserFields(tx, cleo.id, { deactivatedAt: tx.now }))

  await mailAfter(chat, WAIT, ben)
  assert.deepEqual(await chat.mail(), [])
})

test('settings that are changed before the time count', async () => {
  const { chat, ada, ben } = await startDesign()
  await sendDirect(ada, [ben])

  await ben.succeed('PATCH /settings', { enable_offline_email_notifications: false })

  assert.deepEqual(await subjectsAfter(chat, WAIT, ben), [])
})

test('the mail tells of messages where they are and as they are by then', async () => {
  const { chat, ada, design, ben } = await startDesign()
  const id = await sendToChannel(ada, design, '@**Ben** tea?')
  await sendToChannel(ada, design, '@**Ben** or milk', 'milk')

  await ada.succeed(`PATCH /messages/${id}`, { content: '@**Ben** coffee?', topic: 'milk' })

  const [mail, ...others] = await mailAfter(chat, WAIT, ben)
  assert.deepEqual(others, [])
  assert.equal(mail?.subject, '#design › milk')
  assert.match(mail?.text ?? '', /> @Ben coffee\?\n\nAda:\n> @Ben or milk/)
})

test('a mention that is edited in is mailed, and one that was there before is not mailed again', async () => {
  const { chat, ada, ben, design } = await startDesign()
  const id = await sendToChannel(ada, design, 'hello')
  await mailAfter(chat, WAIT, ben)

  await ada.succeed(`PATCH /messages/${id}`, { content: 'hello @**Ben**' })
  const first = await subjectsAfter(chat, WAIT, ben)
  await ada.succeed(`PATCH /messages/${id}`, { content: 'hello again @**Ben**' })

  assert.deepEqual(first, ['#design › tea'])
  assert.equal((await mailAfter(chat, WAIT, ben)).length, 1)
})

test('nobody is mailed the welcome to somebody new, nor that they came', async () => {
  const { chat, ada, ben } = await startDesign()
  const { db, transaction } = chat.app.services
  const [newcomer, inviter] = [await findUser(db, ben.id), await findUser(db, ada.id)]

  await transaction((tx) => sendWelcomeMessages(tx, newcomer as User, inviter))

  await mailAfter(chat, WAIT, ben)
  assert.deepEqual(await chat.mail(), [])
})

test('who was there, but whose client never took the message, is mailed once its event queue has ended', async () => {
  const { chat, ada, ben } = await startDesign()
  await arrive(ben)
  await mailAfter(chat, 2, ben)
  await sendDirect(ada, [ben], 'unseen')
  const whileThere = await mailAfter(chat, 590, ben)
  const [mail] = await mailAfter(chat, 2 * 3600, ben)

  assert.deepEqual(whileThere, [])
  assert.match(mail?.text ?? '', /> unseen$/m)
  assert.equal((await chat.mail()).length, 1)
})

test('what was mailed before is not mailed again when the event queue ends, nor what another client may take', async () => {
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

test('where presence is switched off, what came before the event queue was over is mailed once, and so is what came after', async () => {
  const { chat, ada, ben } = await startDesign()
  await chat.change({ presence_disabled: true })
  await ben.succeed('POST /register', { event_types: ['message'] })
  await mailAfter(chat, 10, ben)
  await sendDirect(ada, [ben], 'before')
  await mailAfter(chat, 595, ben)
  await sendDirect(ada, [ben], 'after')

  await mailAfter(chat, 4 * 3600, ben)

  const said = (await chat.mail()).flatMap(({ text }) => text.match(/^> \w+$/gm) ?? [])
  assert.deepEqual(said.toSorted(), ['> after', '> before'])
})
