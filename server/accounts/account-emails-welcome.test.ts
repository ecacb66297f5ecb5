import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accept, keyOfLink, startWithOwner } from '../../test/joining.ts'

test('new users get a welcome email if the organization sends them', async () => {
  const { chat, ada } = await startWithOwner()
  const key = await keyOfLink(ada)

  assert.equal(await accept(chat, key, { email: 'early@example.com', name: 'Early' }), 'in')
  await ada.succeed('PATCH /realm', { send_welcome_emails: true })
  assert.equal(await accept(chat, key, { email: 'Ben@example.com', name: 'Ben' }), 'in')
  await ada.succeed('POST /users', { email: 'cleo@example.com', full_name: 'Cleo', password: 'correct horse' })

  const mails = await chat.mail()
  assert.deepEqual(
    mails.map(({ to, subject }) => [...to, subject]),
    [
      ['Ben@example.com', 'Welcome to Example'],
      ['cleo@example.com', 'Welcome to Example'],
    ],
  )
  const { text = '', html = '' } = mails[0] ?? {}
  assert.match(text, /- Organization URL: http:\/\/parley\.test\n/)
  assert.match(text, /- Email address for login: Ben@example\.com\n/)
  assert.match(text, /Open help:\nhttp:\/\/parley\.test\/help\n/)
  assert.match(html, /<h2[^>]*>First steps<\/h2>/)
})

test('other clients see whether welcome emails are sent', async () => {
  const { chat, ada } = await startWithOwner()
  const ben = await chat.user('ben')

  const before = await ben.succeed('POST /register', { fetch_event_types: ['realm'] })
  await ada.succeed('PATCH /realm', { send_welcome_emails: true })
  const after = await ben.succeed('POST /register', { fetch_event_types: ['realm'] })

  assert.equal(before['realm_send_welcome_emails'], false)
  assert.equal(after['realm_send_welcome_emails'], true)
  assert.deepEqual((await chat.eventsOf(ben)).at(-1), {
    type: 'realm',
    op: 'update',
    property: 'send_welcome_emails',
    value: true,
  })
})
