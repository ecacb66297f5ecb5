import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { startChat } from '../../test/harness.ts'
import { invite, recipients } from '../../test/inviting.ts'

test('a request without addresses is refused, even if it contains separators', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')

  for (const nothing of ['', ',', ' ', '<>', ',\n , <> ']) {
    const response = await invite(alice, nothing)

    assert.deepEqual([response.status, response.code], [400, 'BAD_REQUEST'])
    assert.equal(response.msg, 'You must specify at least one email address.')
  }
  assert.deepEqual(await recipients(chat), [])
})

test('more than a thousand addresses at once are refused, and no one is invited', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')
  const addresses = Array.from({ length: 1001 }, (_, at) => `a${at}@x.com`)

  const refused = await invite(alice, addresses.join())
  const mailed = await recipients(chat)
  const invited = await invite(alice, addresses.slice(1).join())

  assert.deepEqual([refused.status, refused.code], [400, 'BAD_REQUEST'])
  assert.equal(refused.msg, 'You can invite at most 1000 email addresses at once. No invites were sent.')
  assert.deepEqual(mailed, [])
  assert.equal(invited.status, 200)
})

test('addresses are separated by commas and line feeds, in any mixture', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')

  const lines = await invite(alice, 'a@x.com\r\nb@x.com')
  const mixture = await invite(alice, 'c@x.com, d@x.com,\n e@x.com\n\n\nf@x.com')
  const named = await invite(alice, 'Alice Doe <g@x.com>')
  const trailing = await invite(alice, 'h@x.com,')

  assert.deepEqual(
    [lines, mixture, named, trailing].map(({ status }) => status),
    [200, 200, 200, 200],
  )
  assert.deepEqual(
    await recipients(chat),
    [...'abcdefgh'].map((name) => `${name}@x.com`),
  )
})

test('spaces and semicolons do not separate addresses: nothing is sent, and the error names the invalid ones', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')

  const semicolon = await invite(alice, 'a@x.com;b@x.com')
  const comma = await invite(alice, 'Doe, Alice <a@x.com>')

  assert.equal(semicolon.code, 'INVITATION_FAILED')
  assert.deepEqual(semicolon['errors'], [['a@x.com;b@x.com', 'Invalid address.', false]])
  assert.deepEqual(comma['errors'], [['Doe', 'Invalid address.', false]])
  assert.equal(comma['sent_invitations'], false)
  assert.deepEqual(await recipients(chat), [])
})

test('addresses that differ only in case are invited once, in their first spelling', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')

  const response = await invite(alice, 'a@x.com,A@X.com,a@x.com')

  assert.equal(response.status, 200)
  assert.deepEqual(await recipients(chat), ['a@x.com'])
})

test('existing accounts are skipped and named, and the others are invited', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')
  await chat.user('bob')
  await chat.user('helper', { botType: 1, owner: alice, email: 'helper-bot@example.com' })

  const response = await invite(alice, 'BOB@example.com,new@x.com,helper-bot@example.com')

  assert.deepEqual([response.status, response.code], [400, 'INVITATION_FAILED'])
  assert.match(response.msg, /already using/)
  assert.deepEqual(response['errors'], [
    ['BOB@example.com', 'Already has an account.', false],
    ['helper-bot@example.com', 'Already has an account.', false],
  ])
  assert.match(response.msg, /so we didn't send them an invitation\. We did send invitations to everyone else!$/)
  assert.deepEqual([response['sent_invitations'], response['daily_limit_reached']], [true, false])
  assert.deepEqual(await recipients(chat), ['new@x.com'])
})

test('if every address has an account, nothing is sent, even with trailing commas', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')
  await chat.user('bob')

  const response = await invite(alice, 'bob@example.com,')

  assert.equal(response.msg, "We weren't able to invite anyone.")
  assert.deepEqual(response['errors'], [['bob@example.com', 'Already has an account.', false]])
  assert.equal(response['sent_invitations'], false)
  assert.deepEqual(await recipients(chat), [])
})

test('the address of a deactivated account is marked as such', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const gone = await chat.user('gone')
  await ada.succeed(`DELETE /users/${gone.id}`)

  const response = await invite(ada, 'gone@example.com,new@x.com')

  assert.deepEqual(response['errors'], [['gone@example.com', 'Account has been deactivated.', true]])
  assert.deepEqual(await recipients(chat), ['new@x.com'])
})

test('a request with one invalid address is refused, and the error lists existing accounts after it', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')

  const response = await invite(alice, 'alice@example.com,new@x.com,noatsign')

  assert.equal(response.msg, "Some emails did not validate, so we didn't send any invitations.")
  assert.deepEqual(response['errors'], [
    ['noatsign', 'Invalid address.', false],
    ['alice@example.com', 'Already has an account.', false],
  ])
  assert.equal(response['sent_invitations'], false)
  assert.deepEqual(await recipients(chat), [])
})

test('the addresses of system bots are reserved', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')

  const response = await invite(alice, 'Notification-Bot@parley.invalid')

  assert.deepEqual(response['errors'], [['Notification-Bot@parley.invalid', 'Reserved for system bots.', false]])
})

test('an organization that restricts domains refuses tagged addresses and other domains, and subdomains unless it allows them', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')
  await chat.change({ emails_restricted_to_domains: true })
  await chat.app.services.transaction(async (tx) => {
    const rows = [
      { realmId: chat.realm.id, domain: 'x.com', allowSubdomains: 0 as const },
      { realmId: chat.realm.id, domain: 'y.com', allowSubdomains: 1 as const },
    ]
    await tx.insertInto('realmDomains').values(rows).execute()
  })

  const refused = await invite(alice, 'a+b@x.com,a@sub.x.com,alice@example.com,a@z.com,a@X.com')
  const invited = await invite(alice, 'a@X.COM,a@sub.y.com,a@mailinator.y.com')

  assert.deepEqual(refused['errors'], [
    ['a+b@x.com', 'Email addresses containing + are not allowed.', false],
    ['a@sub.x.com', 'Outside your domain.', false],
    ['alice@example.com', 'Outside your domain.', false],
    ['a@z.com', 'Outside your domain.', false],
  ])
  assert.equal(invited.status, 200)
})

test('disposable addresses are refused if the organization disallows them, tagged addresses are not', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')

  const refused = await invite(alice, 'someone@mailinator.com')
  await chat.change({ disallow_disposable_email_addresses: false })
  const allowed = await invite(alice, 'someone@mailinator.com,a+tag@x.com')

  assert.deepEqual(refused['errors'], [['someone@mailinator.com', 'Please use your real email address.', false]])
  assert.equal(allowed.status, 200)
})
