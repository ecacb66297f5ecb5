import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Mail } from '#mail/outbox.ts'
import { findMails } from '#mail/queries.ts'
import { renderEmail } from '#mail/render-email.ts'
import { saveUserEmail } from '#people/user-queries.ts'
import { Role } from '#rules/role.ts'
import { emailRenderer } from '#workflows/email-catalogue.ts'
import { type PersonOptions, startChat } from '../../test/harness.ts'
import { followsNothing, sendDirect, sendToChannel } from '../../test/messages.ts'
import { mailAfter, subjectsAfter, WAIT } from '../../test/missed-mail.ts'

async function startPair(settings: PersonOptions['settings'] = {}) {
  const chat = await startChat()
  const ada = await chat.user('ada', { settings: followsNothing })
  const ben = await chat.user('ben', { settings: { ...followsNothing, ...settings } })
  return { chat, ada, ben }
}

/** Returns everything in an email. The random parts of its addresses may contain any letters, so look for whole words. */
const wordsOf = (mail: object | undefined) => JSON.stringify(mail).replaceAll('\\n', '\n')

test('without message content a single email gives the number of messages, but no senders or conversations', async () => {
  const { chat, ada, ben } = await startPair({
    message_content_in_email_notifications: false,
    realm_name_in_email_notifications_policy: 2,
  })
  const design = await chat.channel('design', [ada, ben])
  await sendDirect(ada, [ben], 'the plan')
  await sendToChannel(ada, design, '@**Ben** the plan', 'tea')

  const [mail, ...others] = await mailAfter(chat, WAIT, ben)

  assert.deepEqual(others, [])
  assert.equal(mail?.subject, 'New messages in Example')
  assert.match(
    mail?.text ?? '',
    /You have 2 unread messages\.\n\nThis email does not include message content because you have/,
  )
  assert.doesNotMatch(wordsOf(mail), /\b(plan|Ada|design|tea)\b/)
})

test('the organization can disable message content in all emails', async () => {
  const { chat, ada, ben } = await startPair()
  await chat.change({ message_content_allowed_in_email_notifications: false })
  await sendDirect(ada, [ben], 'the plan')

  const [mail] = await mailAfter(chat, WAIT, ben)

  assert.match(
    mail?.text ?? '',
    /You have 1 unread message\.\n\nThis email does not include message content because Example has/,
  )
  assert.doesNotMatch(wordsOf(mail), /\b(plan|Ada)\b/)
})

test('emails to a guest hide the names of users whom the guest cannot see', async () => {
  const { chat, ada } = await startPair()
  const gus = await chat.user('gus', { role: Role.guest })
  const design = await chat.channel('design', [ada, gus])
  await sendToChannel(ada, design, '@**Gus** hello')
  await chat.change({ can_access_all_users_group: 'role:members' })
  const { transaction } = chat.app.services
  await transaction((tx) =>
    tx.updateTable('subscriptions').set({ unsubscribedAt: tx.now }).where('userId', '=', ada.id).execute(),
  )

  const [mail] = await mailAfter(chat, WAIT, gus)

  assert.match(mail?.text ?? '', /^Unknown user:\n> @Gus hello$/m)
})

test('an email about a large conversation shows the newest messages and names a few participants', async () => {
  const { chat, ada, ben } = await startPair()
  const others = [await chat.user('cleo'), await chat.user('dora'), await chat.user('emil')]
  for (let number = 1; number <= 27; number += 1) await sendDirect(ada, [ben, ...others], `number ${number}.`)

  const [mail] = await mailAfter(chat, WAIT, ben)

  assert.equal(mail?.subject, 'Direct messages with Ada, Cleo and 2 others')
  assert.match(mail?.text ?? '', /2 earlier messages are not shown\.\n\nAda:\n> number 3\./)
  assert.match(mail?.text ?? '', /> number 27\./)
})

test('the subject names the organization if the user wants that or has an account in another one', async () => {
  const namesRealm = async (policy: number | undefined, hasOther: boolean) => {
    const { chat, ada, ben } = await startPair(
      policy === undefined ? {} : { realm_name_in_email_notifications_policy: policy },
    )
    if (hasOther) await chat.user('ben', { realm: await chat.organization('other') })
    await sendDirect(ada, [ben])
    return (await subjectsAfter(chat, WAIT, ben))[0]?.endsWith(' [Example]')
  }

  assert.deepEqual(
    [
      await namesRealm(undefined, false),
      await namesRealm(undefined, true),
      await namesRealm(2, false),
      await namesRealm(3, true),
    ],
    [false, true, true, false],
  )
})

test('markup in a name is escaped', async () => {
  const { chat, ben } = await startPair()
  const eve = await chat.user('eve', { fullName: 'Eve <b> & "Co"' })
  await sendDirect(eve, [ben])

  const [mail] = await mailAfter(chat, WAIT, ben)

  assert.equal(mail?.subject, 'Direct messages with Eve <b> & "Co"')
  assert.doesNotMatch(mail?.html ?? '', /<b>/)
})

test('no email is sent to an address that changed in the meantime', async () => {
  const { chat, ada, ben } = await startPair()
  await sendDirect(ada, [ben])
  const { db, transaction, clock, secret, settings } = chat.app.services
  await chat.app.jobs.missedMail.settled()
  await chat.app.jobs.mail.close()
  await chat.clock.advance(WAIT)
  const [mail] = await findMails(db)
  const write = () => renderEmail(db, mail as Mail, emailRenderer(secret, settings, clock), clock.now())
  const before = await write()

  await transaction((tx) => saveUserEmail(tx, ben.id, 'new@example.com'))

  assert.equal(before?.to, 'ben@example.com')
  assert.equal(await write(), null)
})

test('the email links to the topic, including the empty topic', async () => {
  const { chat, ada, ben } = await startPair()
  const design = await chat.channel('design', [ada, ben])
  const ids = [await sendToChannel(ada, design, '@**Ben**', 'a & b'), await sendToChannel(ada, design, '@**Ben**', '')]

  const mails = await mailAfter(chat, WAIT, ben)

  const linksOf = ({ text }: { text: string }) => /^http:\/\/parley\.test\/channels.*$/m.exec(text)?.[0]
  const link = (topic: string, id = 0) => `http://parley.test/channels/${design.id}?topic=%22${topic}%22&near=${id}`
  assert.deepEqual(mails.map(linksOf).toSorted(), [link('', ids[1]), link('a%20%26%20b', ids[0])].toSorted())
  assert.deepEqual(mails.map(({ subject }) => subject).toSorted(), ['#design › a & b', '#design › general chat'])
})
