import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DeliveryResult, type MailTransport, storeOnlyTransport } from '#mail/delivery.ts'
import { queueMail } from '#mail/outbox.ts'
import { AddressVisibility } from '#people/user-settings.ts'
import { Role } from '#rules/role.ts'
import { type Chat, type Person, START, type StartOptions, startChat } from '../../test/harness.ts'
import { invite } from '../../test/inviting.ts'

/** Returns a transport, and an object on which the test sets the outcome of the next emails. */
function answering(delivery: DeliveryResult) {
  const relay = { delivery }
  const transport: MailTransport = {
    async send(message, listen = () => {}) {
      listen(`> RCPT TO:<${message.to}>`)
      listen(`< ${relay.delivery.reply}`)
      return relay.delivery
    },
    close: () => {},
  }
  return { relay, transport }
}

/** Starts an organization with an owner, an administrator and a member. */
async function openOffice(options: StartOptions = {}) {
  const chat = await startChat({ ...options, settings: { LOG_LEVEL: 'silent' } })
  const olga = await chat.user('olga', { role: Role.owner })
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  return { chat, olga, ada, ben }
}

const listed = async (person: Person, filter: Record<string, unknown> = {}) =>
  (await person.succeed('GET /mails', filter)).mails

async function idOfMailTo(chat: Chat, person: Person, recipient: string): Promise<number> {
  await chat.app.jobs.mail.settled()
  return (await listed(person, { recipient, limit: 1 }))[0].id
}

/** Queues an email about an account, as the server does when users change their password or address. */
async function queueAccountMail(chat: Chat, person: Person, recipient = person.email): Promise<void> {
  const data = { userId: person.id, newEmail: 'next@example.com', expiresAt: START + 3600 }
  const mail = { realmId: chat.realm.id, recipient, letter: 'confirm-email', data }
  await chat.app.services.transaction((tx) => queueMail(tx, mail))
}

test('an administrator sees all emails with their states in pages, newest first', async () => {
  const { chat, ada, ben } = await openOffice()
  await invite(ben, 'one@example.com, two@example.com', { invite_expires_in_minutes: 60 })
  await chat.app.jobs.mail.settled()

  const first = await ada.succeed('GET /mails', { limit: 1 })
  const second = await ada.succeed('GET /mails', { limit: 1, before: first.mails[0].id })

  const { invites } = await ada.succeed('GET /invites')
  assert.deepEqual(second.mails[0], {
    state: 'sent',
    queued_at: START,
    next_attempt_at: null,
    attempts: 1,
    reply: '250 Collected',
    ended_at: START,
    id: second.mails[0].id,
    letter: 'invitation',
    recipient: 'one@example.com',
    invite_id: invites[0].id,
  })
  assert.equal(first.mails[0].recipient, 'two@example.com')
  assert.deepEqual([first.found_oldest, second.found_oldest], [false, true])
})

test('emails are found by state, address and invitation', async () => {
  const { relay, transport } = answering({ outcome: 'deferred', reply: '451 Later' })
  const { chat, ada } = await openOffice({ transport })
  await invite(ada, 'one@example.com')
  await chat.app.jobs.mail.settled()
  relay.delivery = { outcome: 'refused', reply: '550 No such mailbox' }
  await invite(ada, 'two@example.com')
  await chat.app.jobs.mail.settled()
  const { invites } = await ada.succeed('GET /invites')

  const found = async (filter: Record<string, unknown>) =>
    (await listed(ada, filter)).map(({ recipient, letter }: Record<string, string>) => `${letter} ${recipient}`)

  assert.deepEqual(await found({ state: 'deferred' }), ['invitation one@example.com'])
  assert.deepEqual(await found({ state: 'failed' }), ['invitation two@example.com'])
  assert.deepEqual(await found({ state: 'queued', recipient: 'ONE@example.com' }), [
    'invitation-reminder one@example.com',
  ])
  assert.deepEqual(await found({ state: 'sent' }), [])
  assert.deepEqual(await found({ invite_id: invites[1].id }), [
    'invitation-reminder two@example.com',
    'invitation two@example.com',
  ])
})

test('an invitation is shown as it was sent, with every attempt and the replies of the relay', async () => {
  const { relay, transport } = answering({ outcome: 'deferred', reply: '451 Later' })
  const { chat, ada, ben } = await openOffice({ transport })
  await invite(ben, 'new@example.com')
  await chat.app.jobs.mail.settled()
  const { mails } = await ada.succeed('GET /mails', { state: 'deferred' })
  relay.delivery = { outcome: 'sent', reply: '250 OK' }
  await chat.clock.advance(60)

  const shown = await ada.succeed(`GET /mails/${mails[0].id}`)

  assert.deepEqual([mails[0].state, mails[0].next_attempt_at, mails[0].reply], ['deferred', START + 60, '451 Later'])
  assert.equal(shown.mail.state, 'sent')
  assert.deepEqual(shown.attempts, [
    {
      started_at: START,
      ended_at: START,
      outcome: 'deferred',
      reply: '451 Later',
      dialogue: '> RCPT TO:<new@example.com>\n< 451 Later',
    },
    {
      started_at: START + 60,
      ended_at: START + 60,
      outcome: 'sent',
      reply: '250 OK',
      dialogue: '> RCPT TO:<new@example.com>\n< 250 OK',
    },
  ])
  assert.equal(shown.contents, 'shown')
  assert.equal(shown.message.subject, 'Ben has invited you to join Example')
  assert.match(shown.message.text, /http:\/\/parley\.test\/accounts\/do_confirm\/[a-z2-7]{32}/)
  assert.match(shown.message.html, /^<!doctype html>/)
  assert.equal(shown.message.headers.To, 'new@example.com')
  assert.equal(shown.message.headers.Date, 'Sat, 05 Jan 2030 10:01:00 +0000')
})

test('the outbox shows exactly the email that arrives', async () => {
  const { chat, ada } = await openOffice()
  await invite(ada, 'new@example.com', { invite_expires_in_minutes: 60 })
  const [arrived] = await chat.mail()

  const { message } = await ada.succeed(`GET /mails/${await idOfMailTo(chat, ada, 'new@example.com')}`)

  const { subject, text, html, headers } = arrived ?? {}
  assert.deepEqual(message, { subject, text, html, headers })
})

test('without a relay emails are kept, and their links can be read', async () => {
  const { chat, ada } = await openOffice({ transport: storeOnlyTransport })
  await invite(ada, 'new@example.com', { invite_expires_in_minutes: 60 })
  const mailId = await idOfMailTo(chat, ada, 'new@example.com')

  const shown = await ada.succeed(`GET /mails/${mailId}`)
  chat.settings.SMTP_URL = 'smtp://relay.example.com'
  const withRelay = await ada.succeed(`GET /mails/${mailId}`)

  assert.deepEqual([shown.mail.state, shown.has_relay], ['kept', false])
  assert.equal(withRelay.has_relay, true)
  assert.match(shown.message.text, /do_confirm/)
})

test('an invitation whose delivery was delayed until it expired is canceled instead of sent', async () => {
  const { relay, transport } = answering({ outcome: 'deferred', reply: '451 Later' })
  const { chat, ada, ben } = await openOffice({ transport })
  await invite(ben, 'brief@example.com', { invite_expires_in_minutes: 60 })
  await invite(ben, 'long@example.com', { invite_expires_in_minutes: 600 })
  await chat.app.jobs.mail.settled()

  await chat.clock.advance(3600)
  relay.delivery = { outcome: 'sent', reply: '250 OK' }
  await chat.clock.advance(3600)
  await chat.app.jobs.mail.settled()

  const states = (await listed(ada)).map((mail: Record<string, unknown>) => [mail['recipient'], mail['state']])
  assert.deepEqual(states, [
    ['long@example.com', 'sent'],
    ['brief@example.com', 'cancelled'],
  ])
})

test('a relay that never responds delays nothing but the emails', async (context) => {
  const { promise, resolve } = Promise.withResolvers<DeliveryResult>()
  const transport: MailTransport = {
    send: () => promise,
    close: () => resolve({ outcome: 'deferred', reply: 'Closed' }),
  }
  context.after(transport.close)
  const { ada, ben } = await openOffice({ transport })
  const addresses = Array.from({ length: 20 }, (_, at) => `guest${at}@example.com`)

  const invited = await invite(ben, addresses.join(), { invite_expires_in_minutes: 60 })
  const mails = await listed(ada)

  assert.equal(invited.result, 'success')
  assert.deepEqual(
    [mails.length, new Set(mails.map(({ state }: { state: string }) => state))],
    [20, new Set(['queued'])],
  )
})

test('the contents of an email are gone after its invitation is revoked', async () => {
  const { chat, ada } = await openOffice()
  await invite(ada, 'new@example.com', { invite_expires_in_minutes: 60 })
  const id = await idOfMailTo(chat, ada, 'new@example.com')
  const { invites } = await ada.succeed('GET /invites')
  await ada.succeed(`DELETE /invites/${invites[0].id}`)

  const shown = await ada.succeed(`GET /mails/${id}`)

  assert.deepEqual([shown.mail.state, shown.contents, shown.message], ['sent', 'gone', null])
})

test('only owners can read an invitation to become an owner', async () => {
  const { chat, olga, ada } = await openOffice()
  await invite(olga, 'new@example.com', { invite_as: Role.owner, invite_expires_in_minutes: 60 })
  const id = await idOfMailTo(chat, ada, 'new@example.com')

  const byAdministrator = await ada.succeed(`GET /mails/${id}`)
  const byOwner = await olga.succeed(`GET /mails/${id}`)

  assert.deepEqual([byAdministrator.contents, byAdministrator.message], ['private', null])
  assert.equal(byAdministrator.mail.recipient, 'new@example.com')
  assert.match(byOwner.message.text, /do_confirm/)
})

test('no user can read an email about the account of another user', async () => {
  const { chat, olga, ada, ben } = await openOffice()
  await queueAccountMail(chat, olga)
  await queueAccountMail(chat, ben)

  for (const reader of [ada, olga]) {
    for (const owner of [olga, ben]) {
      const shown = await reader.succeed(`GET /mails/${await idOfMailTo(chat, reader, owner.email)}`)
      assert.equal(shown.mail.recipient, owner.email)
      assert.deepEqual([shown.contents, shown.message], ['private', null])
      assert.doesNotMatch(JSON.stringify(shown), /confirm_new_email/)
    }
  }
})

test('a user who hides their address is not found by it, and it appears nowhere', async () => {
  const { chat, ada } = await openOffice({ transport: answering({ outcome: 'refused', reply: '550 <x>' }).transport })
  const settings = { email_address_visibility: AddressVisibility.nobody }
  const cleo = await chat.user('cleo', { settings, email: 'hidden@example.com' })
  await queueAccountMail(chat, cleo, 'hidden@example.com')
  await queueAccountMail(chat, cleo, 'unconfirmed@example.com')
  await chat.app.jobs.mail.settled()

  const [newer, older] = await listed(ada)
  const shown = await ada.succeed(`GET /mails/${older.id}`)

  for (const mail of [newer, older, shown.mail])
    assert.deepEqual([mail.state, mail.recipient, mail.reply], ['failed', null, null])
  assert.deepEqual([shown.attempts[0].reply, shown.attempts[0].dialogue], [null, null])
  assert.deepEqual(await listed(ada, { recipient: 'hidden@example.com' }), [])
  assert.deepEqual(await listed(ada, { recipient: 'unconfirmed@example.com' }), [])
})

test('an administrator can retry a failed email, and not one that was sent', async () => {
  const { relay, transport } = answering({ outcome: 'refused', reply: '550 Mailbox full' })
  const { chat, ada } = await openOffice({ transport })
  await invite(ada, 'new@example.com', { invite_expires_in_minutes: 60 })
  const id = await idOfMailTo(chat, ada, 'new@example.com')
  relay.delivery = { outcome: 'sent', reply: '250 OK' }

  const retried = await ada.call(`POST /mails/${id}/retry`)
  await chat.app.jobs.mail.settled()
  const again = await ada.call(`POST /mails/${id}/retry`)

  assert.equal(retried.result, 'success')
  assert.equal(again.msg, 'This email was already sent or has been canceled.')
  const { mail, attempts } = await ada.succeed(`GET /mails/${id}`)
  assert.deepEqual([mail.state, attempts.length], ['sent', 2])
})

test('administrators see only the emails of their organization, and other users see none', async () => {
  const { chat, ada, ben } = await openOffice()
  const eve = await chat.user('eve', { realm: await chat.organization('other'), role: Role.owner })
  await invite(ben, 'new@example.com')
  const id = await idOfMailTo(chat, ada, 'new@example.com')

  assert.deepEqual(await listed(eve), [])
  for (const route of [`GET /mails/${id}`, `POST /mails/${id}/retry`, 'GET /mails/4711', 'POST /mails/4711/retry'])
    assert.equal((await eve.call(route)).msg, 'No such email')
  for (const route of ['GET /mails', `GET /mails/${id}`, `POST /mails/${id}/retry`])
    assert.equal((await ben.call(route)).msg, 'Must be an organization administrator')
})
