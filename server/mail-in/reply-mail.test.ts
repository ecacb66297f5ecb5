import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REPLY_LIFETIME } from '#notifications/reply-addresses.ts'
import { Role } from '#rules/role.ts'
import { confirmEmailChange } from '../../test/email-changes.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { type IncomingMail, MAIL_IN_SETTINGS, messagesIn, openIncomingMail } from '../../test/mail/incoming.ts'
import { sendDirect, sendToChannel } from '../../test/messages.ts'
import { mailAfter, WAIT } from '../../test/missed-mail.ts'

type Stage = { chat: Chat; ada: Person; ben: Person; id: number; incoming: IncomingMail }

async function startMail(): Promise<Stage> {
  const chat = await startChat({ settings: MAIL_IN_SETTINGS })
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  const { id } = await chat.channel('design', [ada, ben])
  return { chat, ada, ben, id, incoming: await openIncomingMail(chat) }
}

/** Returns the address for replies in the next email to the person. */
async function replyAddress(chat: Chat, person: Person): Promise<string> {
  const mails = await mailAfter(chat, WAIT, person)
  return mails.at(-1)?.headers['Reply-To'] ?? ''
}

const directMessages = async (person: Person) =>
  (
    await person.succeed('GET /messages', {
      ...{ narrow: [{ operator: 'is', operand: 'dm' }], anchor: 'newest', num_before: 10, num_after: 0 },
      apply_markdown: false,
    })
  )['messages'] as { content: string; sender_id: number }[]

test('the reply to an email about missed messages in a topic is posted there by the person', async () => {
  const { chat, ada, ben, incoming } = await startMail()
  await sendToChannel(ada, { name: 'design' }, '@**Ben** look')
  const [mail] = await mailAfter(chat, WAIT, ben)
  const to = mail?.headers['Reply-To'] ?? ''

  const reply = await incoming.send({
    ...{ to, from: 'someone.else@example.org', subject: 'Re: whatever' },
    text: 'Good, @**Ada**.\n\nOn 5 Jan 2030 at 10:00, Parley <noreply@parley.test> wrote:\n> Ada: look\n',
  })

  const messages = await messagesIn(ada, 'design')
  const last = messages.at(-1)
  assert.match(to, /^reply\.[a-z2-7]{26}@in\.parley\.test$/)
  assert.match(mail?.text ?? '', /Reply to this email to answer in the conversation\./)
  assert.equal(reply.code, 250)
  assert.deepEqual(
    [messages.length, last?.sender_id, last?.subject, last?.content],
    [2, ben.id, 'tea', 'Good, @**Ada**.'],
  )
  assert.deepEqual(last?.flags, ['mentioned'])
  await incoming[Symbol.asyncDispose]()
})

test('the reply to an email about direct messages goes to the conversation, with its files', async () => {
  const { chat, ada, ben, incoming } = await startMail()
  const cleo = await chat.user('cleo')
  await sendDirect(ada, [ben, cleo], 'Lunch?')

  await incoming.send({
    to: await replyAddress(chat, ben),
    text: 'Yes\n```\nsoup',
    attachments: [{ filename: 'menu.txt', content: 'soup' }],
  })

  for (const person of [ada, cleo]) {
    const last = (await directMessages(person)).at(-1)
    assert.equal(last?.sender_id, ben.id)
    assert.match(last?.content ?? '', /^Yes\n```\nsoup\n```\n\n\[menu\.txt\]\(\/user_uploads\//)
  }
  await incoming[Symbol.asyncDispose]()
})

test('a reply follows a moved message, and is refused after the person lost access to the conversation', async () => {
  const { chat, ada, ben, incoming } = await startMail()
  const secret = await chat.channel('secret', [ada, ben], { isPrivate: true })
  const messageId = await sendToChannel(ada, { name: 'design' }, '@**Ben** look')
  const to = await replyAddress(chat, ben)

  await ada.succeed(`PATCH /messages/${messageId}`, { topic: 'coffee', propagate_mode: 'change_all' })
  const moved = await incoming.send({ to, text: 'one' })
  await ada.succeed(`PATCH /messages/${messageId}`, { stream_id: secret.id, propagate_mode: 'change_all' })
  await ada.succeed('DELETE /users/me/subscriptions', { subscriptions: ['secret'], principals: [ben.id] })
  const lost = await incoming.send({ to, text: 'two' })

  assert.equal(moved.code, 250)
  assert.equal(lost.code, 550)
  assert.match(lost.text, /^5\.7\.1 The message cannot be posted/)
  const [, reply, ...others] = (await messagesIn(ada, 'secret')).filter(({ sender_id: by }) =>
    [ada.id, ben.id].includes(by),
  )
  assert.deepEqual([reply?.subject, reply?.content, others], ['coffee', 'one', []])
  await incoming[Symbol.asyncDispose]()
})

test('forged, expired and used-up addresses are refused alike, and so are those of deactivated people and deleted messages', async () => {
  const { chat, ada, ben, incoming } = await startMail()
  const { db, transaction } = chat.app.services
  const next = async () => {
    const id = await sendDirect(ada, [ben], 'Lunch?')
    return { id, to: await replyAddress(chat, ben) }
  }
  const refused = async (to: string) =>
    assert.equal((await incoming.send({ to })).text, (await incoming.send({ to: forged })).text)
  const forged = 'reply.abcdefghijklmnopqrstuvwx@in.parley.test'
  const used = await next()
  const gone = await next()
  const last = await next()

  assert.match((await incoming.send({ to: forged })).text, /^5\.1\.1 There is no such address/)
  const token = last.to.slice('reply.'.length, -'@in.parley.test'.length)
  await refused(`reply.${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}@in.parley.test`)
  await transaction((tx) =>
    tx.updateTable('replyAddresses').set({ uses: 19 }).where('messageId', '=', used.id).execute(),
  )
  assert.equal((await incoming.send({ to: used.to })).code, 250)
  await refused(used.to)
  await ada.succeed(`DELETE /messages/${gone.id}`)
  await refused(gone.to)
  assert.equal((await incoming.send({ to: last.to })).code, 250)
  await chat.clock.advance(REPLY_LIFETIME)
  await refused(last.to)
  const { to } = await next()
  await ada.succeed(`DELETE /users/${ben.id}`)
  await refused(to)

  const rows = await db.selectFrom('replyAddresses').selectAll().execute()
  assert.deepEqual(rows, [])
  await incoming[Symbol.asyncDispose]()
})

test('a changed email address and a deactivation end the addresses for replies for good', async () => {
  const { chat, ada, ben, incoming } = await startMail()
  const cleo = await chat.user('cleo')
  await sendDirect(ada, [ben, cleo], 'Lunch?')
  const [ofBen, ofCleo] = [await replyAddress(chat, ben), await replyAddress(chat, cleo)]

  await ada.succeed(`DELETE /users/${ben.id}`)
  await ada.succeed(`POST /users/${ben.id}/reactivate`)
  await ada.succeed(`PATCH /users/${cleo.id}`, { new_email: 'cleo@example.org' })
  await confirmEmailChange(chat, 'cleo@example.org')

  assert.equal((await incoming.send({ to: ofBen })).code, 550)
  assert.equal((await incoming.send({ to: ofCleo })).code, 550)
  await incoming[Symbol.asyncDispose]()
})

test('emails that a program sends to an address for replies are dropped', async () => {
  const { chat, ada, ben, incoming } = await startMail()
  await sendDirect(ada, [ben], 'Lunch?')
  const to = await replyAddress(chat, ben)

  for (const headers of [{ 'Auto-Submitted': 'auto-generated' }, { Precedence: 'bulk' }, { 'List-Id': '<a.example>' }])
    assert.equal((await incoming.send({ to, headers })).code, 250)

  assert.equal((await directMessages(ada)).length, 1)
  await incoming[Symbol.asyncDispose]()
})

test('emails offer no reply without incoming email, where the person may not post, and if they hide content', async () => {
  const { chat, ada, ben, id, incoming } = await startMail()
  await incoming[Symbol.asyncDispose]()
  const { user_groups: groups } = await ada.succeed('GET /user_groups')
  const admins = groups.find(({ name }: { name: string }) => name === 'role:administrators').id
  const lastMail = async () => (await mailAfter(chat, WAIT, ben)).at(-1)

  await ada.succeed(`PATCH /streams/${id}`, { can_send_message_group: { new: admins } })
  await sendToChannel(ada, { name: 'design' }, '@**Ben** look')
  const announced = await lastMail()
  await ben.succeed('PATCH /settings', { message_content_in_email_notifications: false })
  await sendDirect(ada, [ben])
  const hidden = await lastMail()
  await ben.succeed('PATCH /settings', { message_content_in_email_notifications: true })
  chat.settings.MAIL_IN_DOMAIN = ''
  await sendDirect(ada, [ben])
  const off = await lastMail()

  for (const mail of [announced, hidden, off]) {
    assert.equal(mail?.headers['Reply-To'], undefined)
    assert.match(mail?.text ?? '', /Replies to this email are not delivered/)
  }
})
