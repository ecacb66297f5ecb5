import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotType, Role } from '#rules/role.ts'
import { fetchPage } from '../../test/files.ts'
import { type Chat, type Person, type StartOptions, startChat } from '../../test/harness.ts'
import { type IncomingMail, MAIL_IN_SETTINGS, messagesIn, openIncomingMail } from '../../test/mail/incoming.ts'
import { MAX_MAILS_PER_HOUR } from './addresses/channel-addresses.ts'
import { receiveMail } from './receive-mail.ts'

type Stage = { chat: Chat; ada: Person; ben: Person; id: number; address: string; incoming: IncomingMail }

async function startMail(settings: object = {}, options: StartOptions = {}): Promise<Stage> {
  const chat = await startChat({ ...options, settings: { ...MAIL_IN_SETTINGS, ...settings } })
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  const { id } = await chat.channel('design', [ada, ben])
  const { email: address } = await ben.succeed(`GET /streams/${id}/email_address`)
  return { chat, ada, ben, id, address, incoming: await openIncomingMail(chat) }
}

/** The reply for all channels to which an address cannot post: its text names no channel and no permission. */
const CANNOT_POST = '5.7.1 The message cannot be posted: the address cannot be used at the moment.'

test('an email to the address of a channel becomes a message, with its subject as the topic', async () => {
  const { ada, address, incoming } = await startMail()

  const reply = await incoming.send({ to: address, subject: 'Re: Fwd: AW: Tea *today*', text: 'It is **ready**.\n' })

  const [message] = await messagesIn(ada, 'design')
  assert.equal(reply.code, 250)
  assert.equal(message?.subject, 'Tea *today*')
  assert.equal(message?.sender_full_name, 'Email Gateway')
  assert.equal(message?.content, '**From:** Grace Hopper <grace@example.org>\nIt is **ready**.')
  await incoming[Symbol.asyncDispose]()
})

test('quotes and the signature are left out, unless the address says otherwise or nothing else is there', async () => {
  const { ada, ben, id, incoming } = await startMail()
  const plain = (await ben.succeed(`GET /streams/${id}/email_address`, { show_sender: false }))['email']
  const full = (
    await ben.succeed(`GET /streams/${id}/email_address`, {
      ...{ show_sender: false, include_quotes: true, include_footer: true },
    })
  )['email']
  const text = 'Yes.\n\nOn 29 Nov 2026 at 10:00, Ada <ada@example.com> wrote:\n> Tea?\n\n-- \nGrace\n'

  await incoming.send({ to: plain, text })
  await incoming.send({ to: full, text })
  await incoming.send({ to: plain, text: '> Tea?' })

  const contents = (await messagesIn(ada, 'design')).map(({ content }) => content)
  assert.deepEqual(contents, ['Yes.', text.trim().replace('-- ', '-- '), '> Tea?'])
  await incoming[Symbol.asyncDispose]()
})

test('HTML becomes Markdown that loads no pictures and mentions nobody', async () => {
  const { ada, ben, id, incoming } = await startMail()
  const to = (await ben.succeed(`GET /streams/${id}/email_address`, { show_sender: false, prefer_html: true }))['email']
  const html = `<html><head><style>p{color:red}</style></head><body><p>Hello <b>all</b>, see <a href="https://example.com/a_(b)">the
    page</a>.</p><ul><li>one</li><li>@**all** *two*</li></ul><img src="https://tracker.example/p.png"><script>alert(1)</script>
    <a href="javascript:alert(1)">click</a></body></html>`

  await incoming.send({ to, text: 'Hello', html })

  const [message] = await messagesIn(ada, 'design')
  assert.equal(
    message?.content,
    'Hello **all**, see [the page](https://example.com/a_%28b%29).\n\n* one\n* @&#42;&#42;all&#42;&#42; &#42;two&#42;\n\nclick',
  )
  assert.deepEqual(message?.flags, [])
  await incoming[Symbol.asyncDispose]()
})

test('nobody is mentioned by the plain text of an email to a channel, and no command is carried out', async () => {
  const { ada, ben, id, incoming } = await startMail()
  const to = (await ben.succeed(`GET /streams/${id}/email_address`, { show_sender: false, sender_id: ben.id }))['email']

  await incoming.send({ to, text: '/poll Tea?\n@**all** @**ada** @_**ada**' })

  const [message] = await messagesIn(ada, 'design')
  assert.equal(message?.sender_id, ben.id)
  assert.equal(message?.content, '&#47;poll Tea?\n&#64;**all** &#64;**ada** &#64;_**ada**')
  assert.deepEqual(message?.flags, [])
  await incoming[Symbol.asyncDispose]()
})

test('an email to a channel shows nothing of other sites, and the server fetches nothing from them', async () => {
  const fetched: string[] = []
  const fetchPage = async (url: string) => {
    fetched.push(url)
    return null
  }
  const { chat, ada, address, incoming } = await startMail({}, { fetchPage })
  await chat.change({ inline_url_embed_preview: true })
  const text = 'https://tracker.example/1.png\nhttps://tracker.example/page'

  await incoming.send({ to: address, text })
  await chat.app.jobs.linkPreviews.settled()
  const [message] = await messagesIn(ada, 'design')
  const { message: shown } = await ada.succeed(`GET /messages/${message?.id}`)

  assert.doesNotMatch(shown.content, /<img|message_embed|external_content/)
  assert.deepEqual(fetched, [])
  assert.equal((await chat.app.services.db.selectFrom('linkPreviewRequests').selectAll().execute()).length, 0)
  await incoming[Symbol.asyncDispose]()
})

test('attached files become uploads that all readers of the message can open', async () => {
  const { chat, ada, ben, address, incoming } = await startMail()
  const attachments = [
    { filename: 'notes [1].txt', content: 'first' },
    { filename: 'müll.html', content: '<script>', contentType: 'text/html' },
  ]

  await incoming.send({ to: address, attachments })

  const [message] = await messagesIn(ada, 'design')
  const links = [...(message?.content ?? '').matchAll(/\[([^\]]+)\]\((\/user_uploads\/[^)]+)\)/g)]
  assert.deepEqual(
    links.map(([, name]) => name),
    ['notes 1.txt', 'müll.html'],
  )
  const [text, page] = await Promise.all(links.map(([, , url]) => fetchPage(chat, url as string, ada)))
  assert.equal(text?.body, 'first')
  assert.equal(page?.headers['content-type'], 'application/octet-stream')
  assert.equal((await ben.succeed('GET /attachments'))['attachments'].length, 2)
  await incoming[Symbol.asyncDispose]()
})

test('a file beyond the limits is named in the message instead of being saved', async () => {
  const { ada, address, incoming } = await startMail({ MAX_FILE_UPLOAD_SIZE_MIB: 1 })

  const reply = await incoming.send({
    ...{ to: address, text: 'See both.' },
    attachments: [
      { filename: 'large.bin', content: Buffer.alloc(1024 * 1024 + 1) },
      { filename: 'small.txt', content: 'small' },
    ],
  })

  const [message] = await messagesIn(ada, 'design')
  assert.equal(reply.code, 250)
  assert.match(message?.content ?? '', /See both\.\n\nlarge\.bin was not saved: File is larger.*\n\[small\.txt\]\(/)
  await incoming[Symbol.asyncDispose]()
})

test('long texts and subjects are cut, and an email without both still becomes a message', async () => {
  const { ada, address, incoming } = await startMail()

  await incoming.send({
    to: address,
    subject: 'x'.repeat(100),
    text: 'y'.repeat(20_000),
    attachments: [{ filename: 'a.txt', content: 'a' }],
  })
  await incoming.send({ to: address, subject: '', text: ' ' })

  const [long, empty] = await messagesIn(ada, 'design')
  assert.equal(long?.subject, `${'x'.repeat(57)}...`)
  assert.match(long?.content ?? '', /y\n\[message truncated\]\n\n\[a\.txt\]\(\/user_uploads\//)
  assert.ok((long?.content.length ?? 0) <= 10_000)
  assert.equal(empty?.subject, '')
  assert.match(empty?.content ?? '', /\(The email has no text\.\)$/)
  await incoming[Symbol.asyncDispose]()
})

test('attached files are beside the code of an email, also where its end is missing or cut off', async () => {
  const { ada, ben, address, incoming } = await startMail()
  const attachments = [{ filename: 'a.txt', content: 'a' }]
  const line = 'a line of code\n'
  const texts = [
    'Look:\n```js\nlet a',
    'Look:\n~~~\t\nlet a',
    '```quote\nLook:\n````\nlet a\n```',
    `\`\`\`\n${line.repeat(1000)}\`\`\``,
    ...[9900, 9950, 9960, 9970].map((length) => `\`\`\`\n${line.repeat(1000).slice(0, length)}\n\`\`\`\nend`),
    '`'.repeat(9000),
  ]

  for (const text of texts) assert.equal((await incoming.send({ to: address, text, attachments })).code, 250)

  const messages = await messagesIn(ada, 'design')
  const { attachments: saved } = await ben.succeed('GET /attachments')
  assert.equal(messages.length, texts.length)
  for (const { content } of messages) {
    assert.match(content, /\n\n\[a\.txt\]\(\/user_uploads\/\S+\)$/)
    assert.ok(content.length <= 10_000)
  }
  assert.deepEqual(
    saved.map(({ messages: of }: { messages: unknown[] }) => of.length),
    texts.map(() => 1),
  )
  await incoming[Symbol.asyncDispose]()
})

test('an email that is delivered again is posted once for each of its addresses', async () => {
  const { chat, ada, ben, id, address, incoming } = await startMail()
  const other = (await ben.succeed(`GET /streams/${id}/email_address`, { sender_id: ben.id }))['email']
  const plans = await chat.channel('plans', [ada, ben])
  const ofPlans = (await ben.succeed(`GET /streams/${plans.id}/email_address`))['email']
  const messageId = '<1@example.org>'

  for (const to of [address, address, other, ofPlans]) assert.equal((await incoming.send({ to, messageId })).code, 250)

  assert.equal((await messagesIn(ada, 'design')).length, 2)
  assert.equal((await messagesIn(ada, 'plans')).length, 1)
  assert.deepEqual(await chat.app.services.db.selectFrom('attachments').selectAll().execute(), [])
  await incoming[Symbol.asyncDispose]()
})

test('an email is refused while the user of the address may not post, and after their account is deactivated', async () => {
  const { chat, ada, ben, id, address, incoming } = await startMail()
  const robo = await chat.user('robo', { botType: BotType.generic, owner: ben })
  const ofBot = (await ben.succeed(`GET /streams/${id}/email_address`, { sender_id: robo.id }))['email']
  const codes = async () => [(await incoming.send({ to: address })).code, (await incoming.send({ to: ofBot })).code]
  const { user_groups: groups } = await ada.succeed('GET /user_groups')
  const admins = groups.find(({ name }: { name: string }) => name === 'role:administrators').id

  const before = await codes()
  await ada.succeed(`PATCH /streams/${id}`, { can_send_message_group: { new: admins } })
  const refused = await incoming.send({ to: address })
  const restricted = await codes()
  await ada.succeed(`DELETE /users/${ben.id}`)
  const deactivated = await incoming.send({ to: address })

  assert.deepEqual(before, [250, 250])
  assert.deepEqual(restricted, [550, 550])
  assert.equal(refused.text, CANNOT_POST)
  assert.match(deactivated.text, /^5\.1\.1 There is no such address/)
  assert.equal((await messagesIn(ada, 'design')).length, 2)
  await incoming[Symbol.asyncDispose]()
})

test('an email is refused after the user lost a private channel, and after the channel was archived', async () => {
  const { chat, ada, ben, incoming } = await startMail()
  const secret = await chat.channel('secret', [ada, ben], { isPrivate: true })
  const open = await chat.channel('layoffs-2027', [ada, ben])
  const addressOf = async (id: number) => (await ben.succeed(`GET /streams/${id}/email_address`))['email']
  const [toSecret, toOpen] = [await addressOf(secret.id), await addressOf(open.id)]

  await ada.succeed('DELETE /users/me/subscriptions', { subscriptions: ['secret'], principals: [ben.id] })
  await ada.succeed(`DELETE /streams/${open.id}`)

  const [fromSecret, fromOpen] = [await incoming.send({ to: toSecret }), await incoming.send({ to: toOpen })]
  assert.deepEqual([fromSecret.code, fromOpen.code], [550, 550])
  assert.deepEqual([fromSecret.text, fromOpen.text], [CANNOT_POST, CANNOT_POST])
  assert.deepEqual(await messagesIn(ada, 'secret'), [])
  await incoming[Symbol.asyncDispose]()
})

test('a bot that its user no longer manages posts no emails', async () => {
  const { chat, ada, ben, id, incoming } = await startMail()
  const robo = await chat.user('robo', { botType: BotType.generic, owner: ben })
  const to = (await ben.succeed(`GET /streams/${id}/email_address`, { sender_id: robo.id }))['email']

  await ada.succeed(`PATCH /bots/${robo.id}`, { bot_owner_id: ada.id })

  assert.equal((await incoming.send({ to })).code, 550)
  await incoming[Symbol.asyncDispose]()
})

test('loops, bounces and automatic answers are dropped, but reports of programs are not', async () => {
  const { chat, ada, address, incoming } = await startMail()
  const dropped = [
    { headers: { 'Auto-Submitted': 'auto-replied' } },
    { headers: { 'X-Autoreply': 'yes' } },
    { headers: { Precedence: 'auto_reply' } },
    { from: 'MAILER-DAEMON@example.org' },
    { from: chat.settings.MAIL_FROM.replace('@', `-${'a'.repeat(26)}@`) },
    { from: chat.settings.MAIL_FROM },
    { from: address },
    { envelope: { from: '', to: [address] } },
    { headers: Array.from({ length: 60 }, () => ({ key: 'Received', value: 'from a by b' })) },
  ]

  for (const mail of dropped)
    assert.equal((await incoming.send({ to: address, ...mail })).code, 250, JSON.stringify(mail))
  assert.deepEqual(await messagesIn(ada, 'design'), [])
  await incoming.send({ to: address, headers: { 'Auto-Submitted': 'auto-generated' } })
  await incoming.send({ to: address, headers: { 'List-Id': '<tea.example.org>', Precedence: 'list', 'X-Loop': 'tea' } })
  await incoming.send({ to: address, from: chat.settings.MAIL_FROM.replace('@', '-team@') })

  assert.equal((await messagesIn(ada, 'design')).length, 3)
  await incoming[Symbol.asyncDispose]()
})

test('an address takes a limited number of emails in an hour, also of those that are not posted', async () => {
  const { chat, ada, ben, id, address, incoming } = await startMail()
  await chat.app.services.transaction((tx) =>
    tx
      .updateTable('channelAddresses')
      .set({ hourFrom: tx.now, mailsInHour: MAX_MAILS_PER_HOUR - 4 })
      .execute(),
  )

  const unreadable = await incoming.send({ to: address, subject: 'x'.repeat(300_000) })
  const dropped = await incoming.send({ to: address, headers: { 'Auto-Submitted': 'auto-replied' } })
  await ada.succeed(`PATCH /streams/${id}`, { is_private: true })
  await ada.succeed('DELETE /users/me/subscriptions', { subscriptions: ['design'], principals: [ben.id] })
  const refused = await incoming.send({ to: address })
  await ada.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'design' }], principals: [ben.id] })
  const last = await incoming.send({ to: address })
  const beyond = await incoming.send({ to: address })
  await chat.clock.advance(3600)

  const codes = [unreadable, dropped, refused, last, beyond].map(({ code }) => code)
  assert.deepEqual(codes, [554, 250, 550, 250, 452])
  assert.equal((await incoming.send({ to: address })).code, 250)
  await incoming[Symbol.asyncDispose]()
})

test('the emails to the addresses of a user delay those to others by one email at most', async () => {
  const { chat, ada, ben, id, address } = await startMail()
  const { email: other } = await ada.succeed(`GET /streams/${id}/email_address`)
  const { email: asSelf } = await ben.succeed(`GET /streams/${id}/email_address`, { sender_id: ben.id })
  const done: string[] = []
  const receive = async (recipient: string, at: number) => {
    const head = `From: grace@example.org\r\nSubject: ${at}\r\nContent-Type: text/html\r\n\r\n`
    const raw = Buffer.from(head + '<li>a'.repeat(5000))
    await receiveMail(chat.app.services, { recipient, sender: 'grace@example.org', raw }).catch(() => {})
    done.push(recipient)
  }

  await Promise.all([address, asSelf, address, asSelf, other].map(receive))

  assert.ok(done.indexOf(other) <= 2, JSON.stringify(done))
  assert.equal((await messagesIn(ben, 'design')).length, 5)
})
