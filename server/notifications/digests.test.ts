import assert from 'node:assert/strict'
import { StatementSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { testClock } from '#lib/clock.ts'
import type { TemplateContext } from '#mail/render-email.ts'
import { BotType, Role } from '#rules/role.ts'
import { onPostgres } from '../../test/database.ts'
import { type Chat, type Person, START, startChat } from '../../test/harness.ts'
import { followsNothing, leaveChannel, sendDirect, sendToChannel } from '../../test/messages.ts'
import { keepChannelActivity } from './content/channel-activity.ts'
import { DIGEST_TEMPLATE, digestTemplates } from './digests.ts'

const DAY = 86_400
const WEEK = 7 * DAY

/** The weekday of START, a Saturday. */
const SATURDAY = 5

/**
 * Starts an organization that sends digests on Saturdays. Ben joined long ago and never used a client; the other users
 * get no digests.
 */
async function startAway() {
  const chat = await startChat()
  await chat.change({ digest_emails_enabled: true, digest_weekday: SATURDAY })
  const settings = { ...followsNothing, enable_digest_emails: false }
  const [ada, cleo] = [await chat.user('ada', { settings }), await chat.user('cleo', { settings })]
  const ben = await chat.user('ben', { settings: followsNothing, joinedAt: START - 30 * DAY })
  return { chat, ada, ben, cleo }
}

/** Advances the clock and returns all digests that the person has received so far. */
async function digestsAfter(chat: Chat, seconds: number, person: Person) {
  await chat.clock.advance(seconds)
  await chat.app.jobs.digests.settled()
  return (await chat.mail()).filter(({ to, subject }) => to.includes(person.email) && /^What you missed/.test(subject))
}

const textAfter = async (chat: Chat, seconds: number, person: Person) =>
  (await digestsAfter(chat, seconds, person)).at(-1)?.text ?? ''

const headings = (text: string) => text.match(/^#\S+ › .*$/gm)

test('a user who has been away gets the busiest conversations of their channels once a week', async () => {
  const { chat, ada, ben, cleo } = await startAway()
  const town = await chat.channel('town', [ada, ben, cleo], { createdAt: START - 20 * DAY })
  const hall = await chat.channel('hall', [ada, cleo], { createdAt: START - 20 * DAY })
  for (const text of ['one', 'two', 'three']) await sendToChannel(ada, town, text, 'long')
  await sendToChannel(ada, town, 'single', 'short')
  for (const person of [ada, cleo]) await sendToChannel(person, town, 'both', 'of two')
  await sendToChannel(ada, hall, 'elsewhere', 'hall')
  await sendDirect(ada, [ben], 'in private')

  const [first] = await digestsAfter(chat, 600, ben)
  const sameDay = await digestsAfter(chat, 4 * 3600, ben)
  await sendToChannel(ada, town, 'news', 'later')
  const nextDays = await digestsAfter(chat, WEEK - DAY - 4 * 3600, ben)
  const nextWeek = await digestsAfter(chat, DAY, ben)

  assert.equal(first?.subject, 'What you missed in Example')
  assert.deepEqual(headings(first?.text ?? ''), ['#town › of two', '#town › short', '#town › long'])
  assert.match(
    first?.text ?? '',
    /#town › long\n\nAda:\n> one\n\nAda:\n> two\n\n1 more message\n\nOpen the conversation:\nhttp/,
  )
  assert.doesNotMatch(first?.text ?? '', /private|elsewhere|New channels/)
  assert.deepEqual([sameDay.length, nextDays.length, nextWeek.length], [1, 1, 2])
  assert.deepEqual(headings(nextWeek.at(-1)?.text ?? ''), ['#town › later'])
})

test('at most four conversations are shown: two with the most people, then those with the most messages', async () => {
  const { chat, ada, ben, cleo } = await startAway()
  const town = await chat.channel('town', [ada, ben, cleo], { createdAt: START - 20 * DAY })
  for (const topic of ['a', 'b', 'c']) for (const person of [ada, cleo]) await sendToChannel(person, town, 'hi', topic)
  for (const topic of ['d', 'e', 'f'])
    for (let count = 0; count < 'xyzdef'.indexOf(topic); count += 1) await sendToChannel(ada, town, 'hi', topic)

  assert.deepEqual(headings(await textAfter(chat, 600, ben)), ['#town › c', '#town › b', '#town › f', '#town › e'])
})

test('digests are sent after five known days of absence, on the chosen weekday, if user and organization want them', async () => {
  const { chat, ada, ben } = await startAway()
  const settings = { ...followsNothing }
  const joinedAt = START - 30 * DAY
  const [dora, emil, finn, gina] = [
    await chat.user('dora', { settings: { ...settings, enable_digest_emails: false }, joinedAt }),
    await chat.user('emil', { settings, joinedAt }),
    await chat.user('finn', { settings, joinedAt: START - 4 * DAY }),
    await chat.user('gina', { settings: { ...settings, presence_enabled: false }, joinedAt }),
  ]
  const robot = await chat.user('robot', { botType: BotType.generic, owner: ada })
  const town = await chat.channel('town', [ada, ben, dora, emil, finn, gina, robot], { createdAt: START - 20 * DAY })
  await emil.succeed('POST /users/me/presence', { status: 'active', new_user_input: true, ping_only: true })
  await sendToChannel(ada, town, 'news')
  const on = (changes: Parameters<Chat['change']>[0]) => chat.change(changes)
  const got = async () => {
    const found: string[] = []
    for (const person of [ben, dora, emil, finn, gina])
      if ((await digestsAfter(chat, 0, person)).length > 0) found.push(person.email.replace(/@.*/, ''))
    return found
  }

  await on({ digest_emails_enabled: false })
  await chat.clock.advance(3600)
  const withoutSetting = await got()
  await on({ digest_emails_enabled: true, digest_weekday: 1 })
  await chat.clock.advance(3600)
  const onAnotherDay = await got()
  await on({ digest_weekday: SATURDAY })
  await chat.clock.advance(3600)

  assert.deepEqual([withoutSetting, onAnotherDay, await got()], [[], [], ['ben']])
})

test('muted topics, channels and people, bots, and channels that were left are not shown; followed topics are', async () => {
  const { chat, ada, ben, cleo } = await startAway()
  const old = { createdAt: START - 20 * DAY }
  const [town, loud, club] = [
    await chat.channel('town', [ada, ben, cleo], old),
    await chat.channel('loud', [ada, ben, cleo], old),
    await chat.channel('club', [ada, ben, cleo], { ...old, isPrivate: true }),
  ]
  const robot = await chat.user('robot', { botType: BotType.generic, owner: ada })
  await ben.succeed('POST /users/me/subscriptions/properties', {
    subscription_data: [{ stream_id: loud.id, property: 'is_muted', value: true }],
  })
  const setPolicy = (stream_id: number, topic: string, visibility_policy: number) =>
    ben.succeed('POST /user_topics', { stream_id, topic, visibility_policy })
  await setPolicy(town.id, 'muted', 1)
  await setPolicy(loud.id, 'followed', 3)
  await ben.succeed(`POST /users/me/muted_users/${cleo.id}`)
  await sendToChannel(ada, town, 'shown', 'plain')
  await sendToChannel(ada, town, 'hidden', 'muted')
  await sendToChannel(ada, loud, 'hidden', 'noise')
  await sendToChannel(ada, loud, 'shown', 'followed')
  await sendToChannel(ada, club, 'hidden', 'secrets')
  await sendToChannel(cleo, town, 'hidden', 'by cleo')
  await ada.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'town' }], principals: [robot.id] })
  await sendToChannel(robot, town, 'hidden', 'by robot')
  await leaveChannel(ben, club)

  const text = await textAfter(chat, 600, ben)

  assert.deepEqual(headings(text)?.sort(), ['#loud › followed', '#town › plain'])
  assert.doesNotMatch(text, /hidden/)
})

test('in a private channel without a shared history only received messages count', async () => {
  const { chat, ada, ben, cleo } = await startAway()
  const old = { createdAt: START - 20 * DAY, isPrivate: true, isHistoryShared: false }
  const vault = await chat.channel('vault', [ada, cleo], old)
  for (const text of ['early', 'earlier', 'too early']) await sendToChannel(ada, vault, text, 'plans')
  await sendToChannel(ada, vault, 'early', 'old plans')
  await ada.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'vault' }], principals: [ben.id] })
  await sendToChannel(ada, vault, 'received', 'plans')

  const text = await textAfter(chat, 600, ben)

  assert.deepEqual(headings(text), ['#vault › plans'])
  assert.match(text, /> received\n\nOpen the conversation/)
  assert.doesNotMatch(text, /early|more message/)
})

test('the messages of a week are read once for all digests of an organization', {
  skip: onPostgres && 'reads statements of SQLite',
}, async () => {
  const { chat, ada, ben } = await startAway()
  const joinedAt = START - 30 * DAY
  const others = [
    await chat.user('emil', { settings: followsNothing, joinedAt }),
    await chat.user('finn', { settings: followsNothing, joinedAt }),
  ]
  const town = await chat.channel('town', [ada, ben, ...others], { createdAt: START - 20 * DAY })
  await sendToChannel(ada, town, 'news')
  const { all } = StatementSync.prototype
  let reads = 0
  StatementSync.prototype.all = function (...values) {
    if (/"topicKey".* from "messages" .*"botType" is null/s.test(this.sourceSQL)) reads += 1
    return all.apply(this, values as never)
  }
  after(() => Object.assign(StatementSync.prototype, { all }))

  const digests = [await digestsAfter(chat, 600, ben)]
  for (const other of others) digests.push(await digestsAfter(chat, 0, other))

  assert.deepEqual(
    digests.map(({ length }) => length),
    [1, 1, 1],
  )
  assert.equal(reads, 2)
})

test('the messages of a week are read again after ten minutes, for another organization, and for a longer period', async () => {
  const { chat } = await startAway()
  const { db } = chat.app.services
  const elsewhere = await chat.organization('elsewhere')
  const clock = testClock(START)
  clock.freeze(true)
  const timers = new Set<() => void>()
  const find = keepChannelActivity({
    now: () => clock.now(),
    schedule(dueAt, job) {
      const cancel = clock.schedule(dueAt, () => {
        timers.delete(cancel)
        return job()
      })
      timers.add(cancel)
      return () => {
        timers.delete(cancel)
        cancel()
      }
    },
  })
  const first = find(db, chat.realm.id, START - DAY)

  await clock.advance(599)
  const again = find(db, chat.realm.id, START - WEEK)
  const longer = find(db, chat.realm.id, START - WEEK - DAY)
  await clock.advance(600)
  const later = find(db, chat.realm.id, START - DAY)
  const other = find(db, elsewhere.id, START - DAY)

  assert.equal(again, first)
  assert.equal(new Set([first, longer, later, other]).size, 4)
  assert.equal(timers.size, 1, 'only the last activity is kept')
  await Promise.all([first, longer, later, other])
})

test('new public channels are listed, and guests get only those that they are in', async () => {
  const { chat, ada, ben } = await startAway()
  const gus = await chat.user('gus', { role: Role.guest, settings: followsNothing, joinedAt: START - 30 * DAY })
  await chat.channel('lawn', [ada])
  await chat.channel('barn', [ada, gus])
  await chat.channel('den', [ada], { isPrivate: true })

  const [bens, guss] = [await textAfter(chat, 600, ben), await textAfter(chat, 0, gus)]

  assert.match(bens, /New channels\n\n- #lawn\n- #barn\n\nBrowse channels:\nhttp:\/\/parley\.test\/channels\n/)
  assert.match(guss, /New channels\n\n- #barn\n\nBrowse/)
})

test('nothing is queued if nothing happened, and the next digest is a week later', async () => {
  const { chat, ada, ben } = await startAway()
  const town = await chat.channel('town', [ada, ben], { createdAt: START - 20 * DAY })
  await digestsAfter(chat, 600, ben)
  const queued = await chat.app.services.db.selectFrom('mails').select('id').where('letter', '=', 'digest').execute()
  await sendToChannel(ada, town, 'news')

  const sameDay = await digestsAfter(chat, 3600, ben)
  const nextWeek = await digestsAfter(chat, WEEK, ben)

  assert.deepEqual([queued, sameDay], [[], []])
  assert.equal(nextWeek.length, 1)
})

test('a queued digest is canceled if its recipient may no longer read anything, or no longer wants digests', async () => {
  const { chat, ada, ben } = await startAway()
  const club = await chat.channel('club', [ada, ben], { isPrivate: true, createdAt: START - 20 * DAY })
  await sendToChannel(ada, club, 'news')
  const { db, secret, clock } = chat.app.services
  const render = async () => {
    const template = digestTemplates(secret, clock)[DIGEST_TEMPLATE]!
    const mail = { recipient: ben.email } as TemplateContext['mail']
    return template({ userId: ben.id, since: START - DAY }, { db, mail, now: clock.now() })
  }

  const [before] = [await render()]
  await ben.succeed('PATCH /settings', { enable_digest_emails: false })
  const unwanted = await render()
  await ben.succeed('PATCH /settings', { enable_digest_emails: true })
  await leaveChannel(ben, club)

  assert.match(before?.text ?? '', /#club › /)
  assert.deepEqual([unwanted, await render()], [null, null])
})

test('spoilers stay hidden, and without message content a digest gives numbers only', async () => {
  const { chat, ada, ben } = await startAway()
  const hank = await chat.user('hank', {
    settings: { ...followsNothing, message_content_in_email_notifications: false },
    joinedAt: START - 30 * DAY,
  })
  const town = await chat.channel('town', [ada, ben, hank], { createdAt: START - 20 * DAY })
  await sendToChannel(ada, town, '```spoiler The end\nthe butler\n```', 'film')

  const [bens, hanks] = [await textAfter(chat, 600, ben), await textAfter(chat, 0, hank)]

  assert.match(bens, /The end/)
  assert.doesNotMatch(bens, /butler/)
  assert.match(hanks, /There are new messages in a busy conversation\.\n\nThis email does not include message content/)
  assert.doesNotMatch(hanks, /\b(film|town|Ada|butler)\b/)
})

test('the link in a digest unsubscribes without logging in', async () => {
  const { chat, ada, ben } = await startAway()
  const town = await chat.channel('town', [ada, ben], { createdAt: START - 20 * DAY })
  await sendToChannel(ada, town, 'news')
  const [digest] = await digestsAfter(chat, 600, ben)
  const path = /^<http:\/\/parley\.test(\/accounts\/end_digest\/[\w.-]+)>$/.exec(
    digest?.headers['List-Unsubscribe'] ?? '',
  )
  const open = (method: string, at: string) =>
    chat.request({
      method,
      path: at,
      headers: { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' },
      ...(method === 'POST' && { body: 'List-Unsubscribe=One-Click' }),
    })

  const asked = await open('GET', path?.[1] ?? '')
  const before = (await ben.succeed('POST /register'))['user_settings'].enable_digest_emails
  const done = await open('POST', path?.[1] ?? '')
  const forged = await open('POST', `${path?.[1]}x`)

  assert.deepEqual([asked.status, before, done.status, forged.status], [200, true, 200, 404])
  assert.match(asked.body, /<form method="post"><button>/)
  assert.match(done.body, /no longer emails you weekly digests/)
  assert.equal((await ben.succeed('POST /register'))['user_settings'].enable_digest_emails, false)
  await sendToChannel(ada, town, 'more news')
  assert.equal((await digestsAfter(chat, WEEK, ben)).length, 1)
})
