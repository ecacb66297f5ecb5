import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createUser, deactivateUser } from '#accounts/change-users.ts'
import { invitationKey } from '#invitations/invitation.ts'
import { saveInvitationEnd } from '#invitations/queries.ts'
import { findUser, lockEmailAddresses } from '#people/user-queries.ts'
import { Role } from '#rules/role.ts'
import { onPostgres } from '../../../test/database.ts'
import { type Chat, startChat } from '../../../test/harness.ts'
import { accept, keyOfInvitation, keyOfLink, startWithOwner } from '../../../test/joining.ts'
import { A_WHILE, whileTransactionIsOpen } from '../../../test/open-transaction.ts'
import { sized } from '../../../test/size.ts'

/**
 * The number of invitations in the test. It is lower on PostgreSQL, where each invitation takes about ten times as
 * long.
 */
const INVITATIONS = onPostgres ? sized(40, 200) : sized(100, 1000)

/**
 * The number of invitations that are accepted at once, each of them twice. On SQLite, it is the number of requests that
 * may wait for password hashing. It is lower on PostgreSQL, where requests also wait for connections and are refused
 * after ten seconds.
 */
const AT_ONCE = onPostgres ? 5 : 50

/** The number of people who use a link at once, and its limit, which are lower on PostgreSQL for the same reason. */
const [PEOPLE, MAX_USES] = onPostgres ? [10, 4] : [50, 20]

async function keysOf({ app: { services }, realm }: Chat): Promise<string[]> {
  const rows = await services.db
    .selectFrom('invitations')
    .select(['id', 'keySeed', 'formerKeyHash'])
    .where('realmId', '=', realm.id)
    .execute()
  return rows.map((row) => invitationKey(services.secret, row))
}

async function countNewcomers({ app, realm }: Chat): Promise<number> {
  const { db } = app.services
  const query = db.selectFrom('users').select('id').where('realmId', '=', realm.id).where('emailKey', 'like', '%@x.com')
  return (await query.execute()).length
}

const tally = (results: readonly string[]) =>
  Object.fromEntries(
    Array.from(
      Map.groupBy(results, (one) => one),
      ([result, all]) => [result, all.length],
    ),
  )

test(`${INVITATIONS} invitations that are each accepted twice at once create ${INVITATIONS} accounts`, async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const invitee_emails = Array.from({ length: INVITATIONS }, (_, at) => `new${at}@x.com`).join(',')
  await ada.succeed('POST /invites', { invitee_emails, stream_ids: [], notify_referrer_on_join: false })
  const keys = await keysOf(chat)

  const results: string[] = []
  for (let start = 0; start < keys.length; start += AT_ONCE) {
    const some = keys.slice(start, start + AT_ONCE)
    results.push(...(await Promise.all([...some, ...some].map((key) => accept(chat, key)))))
  }

  assert.deepEqual(tally(results), { in: INVITATIONS, 'This invitation has been used': INVITATIONS })
  assert.equal(await countNewcomers(chat), INVITATIONS)
})

test('a link used at once by more people than its limit creates as many accounts as its limit', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const key = await keyOfLink(ada, { max_uses: MAX_USES, notify_referrer_on_join: false })

  const addresses = Array.from({ length: PEOPLE }, (_, at) => `new${at}@x.com`)
  const results = await Promise.all(addresses.map((email) => accept(chat, key, { email })))

  assert.deepEqual(tally(results), { in: MAX_USES, 'This invitation has been used': PEOPLE - MAX_USES })
  assert.equal(await countNewcomers(chat), MAX_USES)
})

test('two links used at once with one address create one account', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const keys = [await keyOfLink(ada), await keyOfLink(ada)]

  const results = await Promise.all(keys.map((key) => accept(chat, key, { email: 'new@x.com' })))

  assert.deepEqual(tally(results), { in: 1, 'log in': 1 })
})

test('several invitations accepted at once with one address create one account, and the others are refused', async () => {
  const { chat, ada } = await startWithOwner()
  const keys: string[] = []
  for (let count = 0; count < 6; count++) keys.push(await keyOfInvitation(chat, ada, 'new@x.com'))

  const results = await Promise.all(keys.map((key) => accept(chat, key)))

  assert.deepEqual(tally(results), { in: 1, 'You already have an account': 5 })
})

/** Creates two invitations to one address. Returns the id of the first one and the key of the second one. */
async function startWithTwo() {
  const { chat, ada } = await startWithOwner()
  await keyOfInvitation(chat, ada, 'new@x.com')
  const { invites } = await ada.succeed('GET /invites')
  return { chat, firstId: invites[0].id as number, secondKey: await keyOfInvitation(chat, ada, 'new@x.com') }
}

test('accepting an invitation waits for another acceptance by the same address, which ends all invitations to it', async () => {
  const { chat, secondKey } = await startWithTwo()

  let accepting: Promise<string> | undefined
  await chat.app.services.transaction(async (tx) => {
    await lockEmailAddresses(tx, chat.realm.id)
    accepting = accept(chat, secondKey)
    await sleep(A_WHILE)
    await tx.db.selectFrom('invitations').select('id').where('email', '=', 'new@x.com').forUpdate().noWait().execute()
  })

  assert.equal(await accepting, 'in')
})

test('accepting an invitation waits for the revocation of another one to the address before it cancels emails', async () => {
  const { chat, firstId, secondKey } = await startWithTwo()

  let accepting: Promise<string> | undefined
  await chat.app.services.transaction(async (tx) => {
    await saveInvitationEnd(tx, firstId, 'revoked')
    accepting = accept(chat, secondKey)
    await sleep(A_WHILE)
    await tx.db.selectFrom('mails').select('id').where('recipient', '=', 'new@x.com').forUpdate().noWait().execute()
  })

  assert.equal(await accepting, 'in')
})

test('of two people who compete for the last license, one joins', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  await chat.change({ license_limit: 2 })
  const key = await keyOfLink(ada)

  const results = await Promise.all(['a@x.com', 'b@x.com'].map((email) => accept(chat, key, { email })))

  assert.deepEqual(tally(results), { in: 1, 'You cannot join Example yet': 1 })
  assert.equal(await countNewcomers(chat), 1)
})

test('a user who is joining counts as an existing account for concurrent invitations', async () => {
  const { chat, ada } = await startWithOwner()
  const account = { deliveryEmail: 'new@x.com', fullName: 'New', role: Role.member }

  let response: unknown
  await whileTransactionIsOpen(
    chat,
    (tx) => createUser(tx, chat.realm, account),
    async () => {
      response = await ada.call('POST /invites', { invitee_emails: 'new@x.com,other@x.com', stream_ids: [] })
    },
  )

  assert.partialDeepStrictEqual(response, {
    errors: [['new@x.com', 'Already has an account.', false]],
    sent_invitations: true,
  })
  assert.equal((await ada.succeed('GET /invites'))['invites'].length, 1)
})

test('an inviter who is deactivated meanwhile leaves no invitation that works again after reactivation', async () => {
  const { chat, ada } = await startWithOwner()
  const ben = await chat.user('ben', { role: Role.administrator })
  const account = await findUser(chat.app.services.db, ben.id)
  assert.ok(account)

  let responses: { result: string }[] = []
  await whileTransactionIsOpen(
    chat,
    (tx) => deactivateUser(tx, chat.realm, account),
    async () => {
      const inviting = ben.call('POST /invites', { invitee_emails: 'new@x.com', stream_ids: [] })
      responses = await Promise.all([inviting, ben.call('POST /invites/multiuse')])
    },
  )
  await ada.succeed(`POST /users/${ben.id}/reactivate`)

  assert.deepEqual(
    responses.map(({ result }) => result),
    ['error', 'error'],
  )
  assert.deepEqual((await ada.succeed('GET /invites'))['invites'], [])
  assert.deepEqual(await chat.mail(), [])
})
