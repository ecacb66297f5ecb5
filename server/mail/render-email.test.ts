import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from '#storage/storage.ts'
import { fc } from '../../test/fast-check.ts'
import type { Mail } from './outbox.ts'
import { type EmailSender, emailHeaders, isBareAddress, type RenderedEmail, renderEmail } from './render-email.ts'

const noDb = null as unknown as Db

const sender: EmailSender = { productName: 'Parley', noReplyAddress: 'noreply@chat.test', tokenizedNoReply: true }

const mail: Mail = {
  id: 1,
  realmId: 1,
  recipient: 'new@example.com',
  letter: 'greeting',
  data: { name: 'Ada' },
  invitationId: null,
  messageId: 'abcdef',
  createdAt: 0,
  state: 'queued',
  dueAt: 0,
  attempts: 0,
  reply: null,
  endedAt: null,
}

async function write(letter: RenderedEmail, of: Partial<Mail> = {}, from = sender, now = 1_700_000_000) {
  const message = await renderEmail(
    noDb,
    { ...mail, ...of },
    { templates: { greeting: () => letter }, sender: from },
    now,
  )
  assert.ok(message)
  return message
}

const letter: RenderedEmail = { subject: 'Hello', text: 'Hello\n', html: '<p>Hello</p>' }

test('a template is rendered with the data in the outbox', async () => {
  const writers = {
    greeting: (data: unknown, { now }: { now: number }) => ({
      ...letter,
      subject: `${JSON.stringify(data)} at ${now}`,
    }),
  }

  const message = await renderEmail(noDb, mail, { templates: writers, sender }, 7)

  assert.equal(message?.subject, '{"name":"Ada"} at 7')
})

test('an email comes from an unguessable address, and bounces go to the plain one', async () => {
  const message = await write(letter)

  assert.match(message.from.address, /^noreply-[a-z2-7]{26}@chat\.test$/)
  assert.deepEqual(message.envelope, { from: 'noreply@chat.test', to: 'new@example.com' })
  assert.equal(message.from.name, 'Parley')
})

test('a second attempt differs only in its date', async () => {
  const [first, second] = [await write(letter), await write(letter, { attempts: 1 }, sender, 1_700_000_060)]

  assert.deepEqual(second, { ...first, date: 1_700_000_060 })
})

test('no two emails come from the same address, unless all come from the plain one', async () => {
  const plain = { ...sender, tokenizedNoReply: false }
  const [one, other] = [await write(letter), await write(letter, { messageId: 'ghijkl' })]

  assert.notEqual(one.from.address, other.from.address)
  assert.equal((await write(letter, {}, plain)).from.address, 'noreply@chat.test')
})

test('every email says that a program sent it, and some have a List-Id', async () => {
  const list = { name: 'Engines', host: 'engines.chat.test' }
  const listed = emailHeaders(await write({ ...letter, list, unsubscribe: 'https://chat.test/leave' }))
  const plain = emailHeaders(await write(letter))

  assert.deepEqual(
    [plain['Auto-Submitted'], plain['X-Auto-Response-Suppress'], plain.Date, plain['Message-ID']],
    ['auto-generated', 'All', 'Tue, 14 Nov 2023 22:13:20 +0000', '<abcdef@chat.test>'],
  )
  assert.equal('List-Id' in plain || 'List-Unsubscribe' in plain, false)
  assert.equal(listed['List-Id'], '"Engines" <engines.chat.test>')
  assert.equal(listed['List-Unsubscribe'], '<https://chat.test/leave>')
})

test('text from users cannot start another header', async () => {
  const evil = fc
    .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\r\nBcc: x@y.z\r\n', '\n', '\r', '\0', '\u2028')))
    .map((parts) => parts.join(''))

  await fc.assert(
    fc.asyncProperty(evil, evil, async (one, other) => {
      const list = { name: other, host: 'chat.test' }
      const message = await write({ ...letter, subject: one, list }, {}, { ...sender, productName: other })
      for (const value of Object.values(emailHeaders(message))) assert.doesNotMatch(value, /[\p{Cc}\u2028\u2029]/u)
    }),
  )
})

test('only a single plain address is accepted', () => {
  const bare = [
    'a@b.c',
    "o'brien+x@sub.example.com",
    'a@[127.0.0.1]',
    'a@[IPv6:::1]',
    'ada@exämple.de',
    'root@localhost',
  ]
  const others = [
    '',
    'a',
    'a@',
    '@b.c',
    'a@b@c',
    'a@b.c,d@e.f',
    'a@b.c;d@e.f',
    'A <a@b.c>',
    'a@b.c\r\nBcc: d@e.f',
    'a b@c.d',
    '(x)a@b.c',
    'a@b.c\0',
  ]

  assert.deepEqual(
    bare.filter((text) => !isBareAddress(text)),
    [],
  )
  assert.deepEqual(others.filter(isBareAddress), [])
})
