import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveUserFields } from '#people/user-queries.ts'
import { type Chat, startChat } from '../../../test/harness.ts'
import { followsNothing, sendDirect, sendToChannel } from '../../../test/messages.ts'
import { mailAfter, WAIT } from '../../../test/missed-mail.ts'

const open = (chat: Chat, path: string, method: string, host = 'parley.test') =>
  chat.request({
    method,
    path,
    headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
    ...(method === 'POST' && { body: 'List-Unsubscribe=One-Click' }),
  })

/** Returns a user who has received emails about missed messages, and the path of the unsubscribe page. */
async function startWithMail() {
  const chat = await startChat()
  const ada = await chat.user('ada', { settings: followsNothing })
  const ben = await chat.user('ben', { settings: { ...followsNothing, enable_stream_email_notifications: true } })
  const design = await chat.channel('design', [ada, ben])
  await sendDirect(ada, [ben])
  const [mail] = await mailAfter(chat, WAIT, ben)
  const address = /^<http:\/\/parley\.test(\/accounts\/end_mail\/[\w.-]+)>$/.exec(
    mail?.headers['List-Unsubscribe'] ?? '',
  )
  const path = address?.[1] ?? ''
  assert.equal(mail?.headers['List-Unsubscribe-Post'], 'List-Unsubscribe=One-Click')
  assert.ok(mail.text.endsWith(`\nUnsubscribe from emails about missed messages: http://parley.test${path}\n`))
  assert.ok(mail.html.includes(`href="http://parley.test${path}"`))
  return { chat, ada, ben, design, path }
}

test('one POST unsubscribes from all emails about missed messages without logging in, and clients get an event', async () => {
  const { chat, ada, ben, design, path } = await startWithMail()
  await ben.succeed('POST /users/me/subscriptions/properties', {
    subscription_data: [{ stream_id: design.id, property: 'email_notifications', value: true }],
  })
  const before = (await chat.eventsOf(ben)).length

  const { status, body } = await open(chat, path, 'POST')
  await sendDirect(ada, [ben])
  await sendToChannel(ada, design, '@**Ben**')

  assert.equal(status, 200)
  assert.match(body, /You have unsubscribed/)
  assert.equal((await mailAfter(chat, WAIT, ben)).length, 1)
  const events = (await chat.eventsOf(ben))
    .slice(before)
    .filter(({ type }) => type === 'user_settings' || type === 'subscription')
  assert.deepEqual(
    events.map(({ property, value }) => [property, value]),
    [
      ['enable_offline_email_notifications', false],
      ['enable_stream_email_notifications', false],
      ['enable_followed_topic_email_notifications', false],
      ['email_notifications', false],
    ],
  )
})

test('emails that are still queued are not sent after unsubscribing', async () => {
  const { chat, ada, ben, path } = await startWithMail()
  await sendDirect(ada, [ben])

  await open(chat, path, 'POST')

  assert.equal((await mailAfter(chat, WAIT, ben)).length, 1)
})

test('opening the link changes nothing and shows an unsubscribe button', async () => {
  const { chat, ada, ben, path } = await startWithMail()

  const { status, body } = await open(chat, path, 'GET')
  await sendDirect(ada, [ben])

  assert.equal(status, 200)
  assert.match(body, /<form method="post"><button>/)
  assert.equal((await mailAfter(chat, WAIT, ben)).length, 2)
})

test('a link is refused if it was changed, is opened at another organization, or belongs to a deactivated account', async () => {
  const { chat, ben, path } = await startWithMail()
  await chat.organization('other')
  const [payload = '', seal] = path.split('.')
  const forged = `/accounts/end_mail/${Buffer.from(JSON.stringify([chat.realm.id, ben.id + 1])).toString('base64url')}.${seal}`
  const statuses = async (host?: string) =>
    Promise.all(
      [path, forged, payload, '/accounts/end_mail/e30.x'].map(
        async (one) => (await open(chat, one, 'POST', host)).status,
      ),
    )

  assert.deepEqual(await statuses('other.parley.test'), [404, 404, 404, 404])
  assert.deepEqual(await statuses(), [200, 404, 404, 404])
  await chat.app.services.transaction((tx) => saveUserFields(tx, ben.id, { deactivatedAt: tx.now }))
  assert.deepEqual(await statuses(), [404, 404, 404, 404])
})
