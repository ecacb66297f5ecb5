import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missing, refused } from './answers.ts'
import { startServer } from './server.ts'
import type { Answer } from './wire.ts'
import type { Person } from './world.ts'

const server = await startServer()

type Triple = [address: string, reason: string, isDeactivated: boolean]

const invite = (person: Person, invitee_emails: unknown, params: object = {}) =>
  person.call('POST /invites', { invitee_emails, stream_ids: [], ...params })

function failed(answer: Answer, msg: string, errors: Triple[], sent = false): void {
  refused(answer, msg, {
    code: 'INVITATION_FAILED',
    errors,
    sent_invitations: sent,
    daily_limit_reached: false,
    license_limit_reached: false,
  })
}

const INVALID = "Some emails did not validate, so we didn't send any invitations."
const NOBODY = "We weren't able to invite anyone."

/** Returns the recipients of the server's emails in alphabetical order. */
const written = async () => (await server.mail()).flatMap(({ to }) => to).sort()

test('88: inviting returns an empty success, and sends one email to the invited person only', async () => {
  const { alice } = await server.world()

  const { status, text } = await invite(alice, 'new@x.com')

  assert.deepEqual([status, text], [200, '{"result":"success","msg":""}\n'])
  const [letter, ...others] = await server.mail()
  assert.deepEqual([letter?.to, others], [['new@x.com'], []])
})

test('88: several people get separate emails that do not name each other', async () => {
  const { alice } = await server.world()

  await invite(alice, 'ann@x.com,ben@x.com')

  const letters = await server.mail()
  assert.deepEqual(letters.map(({ to }) => to).sort(), [['ann@x.com'], ['ben@x.com']])
  for (const { to, text, html, headers } of letters) {
    const other = to[0] === 'ann@x.com' ? 'ben@x.com' : 'ann@x.com'
    assert.equal(`${text}${html}${JSON.stringify(headers)}`.includes(other), false)
  }
})

for (const nothing of ['', ',', ' ', '\n', '<>', ' , \r\n ,'])
  test(`89: ${JSON.stringify(nothing)} contains no address`, async () => {
    const { alice } = await server.world()

    refused(await invite(alice, nothing), 'You must specify at least one email address.')
  })

test('invitee_emails and stream_ids are required, and are checked first', async () => {
  const { alice, carol } = await server.world({ settings: { can_invite_users_group: 'role:administrators' } })

  missing(await alice.call('POST /invites', { stream_ids: [] }), 'invitee_emails')
  missing(await carol.call('POST /invites', { invitee_emails: 'a@x.com' }), 'stream_ids')
})

test('92: guests get the error for guests, whatever else is wrong', async () => {
  const { guest } = await server.world()

  refused(await guest.call('POST /invites'), 'Not allowed for guest users')
  refused(await invite(guest, 'a@x.com', { stream_ids: 'x' }), 'Not allowed for guest users')
})

test('90: groups are a list of ids', async () => {
  const { alice } = await server.world()

  refused(await invite(alice, 'a@x.com', { group_ids: 'null' }), 'group_ids is not a list')
  refused(await invite(alice, 'a@x.com', { group_ids: ['x'] }), 'group_ids[0] is not an integer')
  assert.deepEqual(await written(), [])
  assert.equal((await invite(alice, 'a@x.com', { group_ids: [] })).status, 200)
})

test('91: the expiry is an integer in minutes or null', async () => {
  const { alice } = await server.world()
  const within = (invite_expires_in_minutes: unknown) => invite(alice, 'a@x.com', { invite_expires_in_minutes })

  refused(await within('soon'), 'invite_expires_in_minutes is not valid JSON')
  refused(await within(1.5), 'invite_expires_in_minutes is not an integer')
  refused(await within('"10"'), 'invite_expires_in_minutes is not an integer')
  refused(await within(true), 'invite_expires_in_minutes is not an integer')
  assert.deepEqual(await written(), [])
  for (const minutes of [10, 'null', ' 10 ']) assert.equal((await within(minutes)).status, 200)
})

for (const [number, emails, people] of [
  [93, 'a@x.com\r\nb@x.com', ['a@x.com', 'b@x.com']],
  [96, 'a@x.com,A@X.com', ['a@x.com']],
  [96, 'A@X.com\na@x.com\na@x.com', ['A@X.com']],
  [97, 'a@x.com,', ['a@x.com']],
  [97, ',,\n a@x.com \n,', ['a@x.com']],
  [101, 'a+tag@x.com', ['a+tag@x.com']],
  [101, 'Ann <ann@x.com>, Ben Two <ben@x.com>', ['ann@x.com', 'ben@x.com']],
  [101, '"Ann" <ann@x.com>\n<ben@x.com>', ['ann@x.com', 'ben@x.com']],
  [
    101,
    'a@x, b@x.com,\n c@x.com\n\n\nd@x.com'.replace('a@x,', 'a@x.com,'),
    ['a@x.com', 'b@x.com', 'c@x.com', 'd@x.com'],
  ],
] as const)
  test(`${number}: ${JSON.stringify(emails)} invites ${people.join(' and ')}`, async () => {
    const { alice } = await server.world()

    assert.equal((await invite(alice, emails)).text, '{"result":"success","msg":""}\n')

    assert.deepEqual(await written(), people)
  })

for (const [number, emails, invalid] of [
  [94, 'a@x.com;b@x.com', 'a@x.com;b@x.com'],
  [95, 'Doe, Alice <a@x.com>', 'Doe'],
  [95, 'good@x.com,noatsign', 'noatsign'],
  [95, 'a@x.com b@x.com', 'a@x.com b@x.com'],
  [95, 'a@x', 'a@x'],
  [95, 'a@x.com.', 'a@x.com.'],
  [95, '@x.com', '@x.com'],
  [95, 'a@@x.com', 'a@@x.com'],
] as const)
  test(`${number}: in ${JSON.stringify(emails)} ${invalid} is invalid, and no one is invited`, async () => {
    const { alice } = await server.world()

    failed(await invite(alice, emails), INVALID, [[invalid, 'Invalid address.', false]])

    assert.deepEqual(await written(), [])
  })

test('98: existing users are not invited, in any case of their address', async () => {
  const { alice, bob } = await server.world()

  for (const email of [bob.email, bob.email.toUpperCase(), `Bob <${bob.email}>,`])
    failed(await invite(alice, email), NOBODY, [[email.replace(/.*<(.*)>.*/, '$1'), 'Already has an account.', false]])
  assert.deepEqual(await written(), [])
})

test('98: people without an account are invited and existing users are not, and the response is still an error', async () => {
  const { alice, bob } = await server.world()

  const answer = await invite(alice, `${bob.email},new@x.com`)

  assert.deepEqual([answer.status, answer.body.code, answer.body.sent_invitations], [400, 'INVITATION_FAILED', true])
  assert.deepEqual(answer.body.errors, [[bob.email, 'Already has an account.', false]])
  assert.deepEqual(await written(), ['new@x.com'])
})

test('98: with an invalid address, existing users are listed after it, and no one is invited', async () => {
  const { alice, bob } = await server.world()

  failed(await invite(alice, `${bob.email},nope,new@x.com`), INVALID, [
    ['nope', 'Invalid address.', false],
    [bob.email, 'Already has an account.', false],
  ])
  assert.deepEqual(await written(), [])
})

test('99: a deactivated account is marked as such', async () => {
  const { alice, deactivated } = await server.world()

  const { body } = await invite(alice, `${deactivated.email},new@x.com`)

  assert.deepEqual(body.errors, [[deactivated.email, 'Account has been deactivated.', true]])
  assert.deepEqual(await written(), ['new@x.com'])
})

test('100: bots are accounts; users of other organizations are not', async () => {
  const [{ alice, alicebot }, other] = [await server.world(), await server.world()]

  failed(await invite(alice, alicebot.email), NOBODY, [[alicebot.email, 'Already has an account.', false]])
  assert.equal((await invite(alice, other.bob.email)).status, 200)
})

test('a person with a pending invitation can be invited again', async () => {
  const { alice, bob } = await server.world()

  for (const person of [alice, bob, alice]) assert.equal((await invite(person, 'new@x.com')).status, 200)

  assert.equal((await server.mail('NEW@x.com')).length, 3)
})

test('102: an organization that restricts domains refuses others, and tags', async () => {
  const world = await server.world({
    settings: {
      emails_restricted_to_domains: true,
      domains: [
        { domain: 'x.com', allow_subdomains: false },
        { domain: 'y.org', allow_subdomains: true },
      ],
    },
  })

  failed(await invite(world.alice, 'a+b@x.com'), INVALID, [
    ['a+b@x.com', 'Email addresses containing + are not allowed.', false],
  ])
  for (const email of ['a@z.com', 'a@sub.x.com', 'a@ax.com', 'a@x.com.au'])
    failed(await invite(world.alice, email), INVALID, [[email, 'Outside your domain.', false]])
  assert.equal((await invite(world.alice, 'a@X.COM,b@y.org,c@deep.sub.y.org')).status, 200)
})

test('103: disposable addresses are refused where they are disallowed', async () => {
  const world = await server.world()
  const email = 'someone@mailinator.com'

  failed(await invite(world.alice, email), INVALID, [[email, 'Please use your real email address.', false]])
  await world.changeSettings({ disallow_disposable_email_addresses: false })
  assert.equal((await invite(world.alice, email)).status, 200)
})

test('addresses can be sent in the query or in multipart, and the last of several values counts', async () => {
  const { alice, host } = await server.world()
  const inQuery = await alice.call('POST /invites', {}, { query: { invitee_emails: 'q@x.com', stream_ids: [] } })
  const twice = await alice.call('POST /invites', 'invitee_emails=a%40x.com&stream_ids=%5B%5D&invitee_emails=z%40x.com')
  assert.deepEqual([inQuery.status, twice.status], [200, 200])
  const parts = { invitee_emails: 'm@x.com', stream_ids: '[]' }
  const body = Object.entries(parts).map(
    ([name, value]) => `--e\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const authorization = `Basic ${Buffer.from(`${alice.email}:${alice.apiKey}`).toString('base64')}`
  const headers = { authorization, 'content-type': 'multipart/form-data; boundary=e' }
  const inParts = await server.request({
    method: 'POST',
    path: '/api/v1/invites',
    host,
    headers,
    body: `${body.join('')}--e--\r\n`,
  })

  assert.equal(inParts.status, 200, inParts.text)
  assert.deepEqual(await written(), ['m@x.com', 'q@x.com', 'z@x.com'])
})
