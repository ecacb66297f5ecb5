import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Role } from '#rules/role.ts'
import { openBrowser, PASSWORD, signIn } from '../../test/browser.ts'
import { type Chat, startChat } from '../../test/harness.ts'
import { accept, doConfirm, joinBy, keyOfInvitation, keyOfLink, memberOf, startWithOwner } from '../../test/joining.ts'

const owner = { role: Role.owner }

const filled = { full_name: 'Nelly', password: PASSWORD }

const usersOf = (chat: Chat) =>
  chat.app.services.db.selectFrom('users').selectAll().where('realmId', '=', chat.realm.id).execute()

suite('the page of an invitation', () => {
  test('names the inviter, the role and the expiry', async () => {
    const { chat, ada, browser } = await startWithOwner()
    const [open, secret] = [await chat.channel('open', []), await chat.channel('secret', [ada], { isPrivate: true })]
    const { group_id } = await ada.succeed('POST /user_groups/create', { name: 'team', description: '', members: [] })
    const offer = { stream_ids: [open.id, secret.id, open.id], group_ids: [group_id, group_id], invite_as: 300 }
    const key = await keyOfInvitation(chat, ada, 'new@x.com', offer)

    const { status, text, body } = await browser.open(doConfirm(key))

    assert.equal(status, 200)
    assert.match(text, /Join Example Ada invited you as a moderator\. Channels #open, #secret Groups team Expires/)
    assert.match(text, /Expires 2030-01-15 10:00 UTC/)
    assert.match(
      body,
      /<input id="email" name="email" type="email" value="new@x\.com" autocomplete="email" required readonly>/,
    )
    assert.match(body, /<input id="full_name" [^>]*aria-describedby="full_name-hint" autocomplete="name" required>/)
    assert.match(
      body,
      /<input id="password" [^>]*type="password" value="" [^>]*autocomplete="new-password" required data-organization="Example">/,
    )
  })

  test('names twelve channels, and counts the others', async () => {
    const { chat, ada, browser } = await startWithOwner()
    const ids: number[] = []
    for (let number = 10; number < 23; number += 1) ids.push((await chat.channel(`c${number}`, [])).id)
    const listed = async (email: string, stream_ids: number[]) =>
      /Channels (.*?) Expires/.exec(
        (await browser.open(doConfirm(await keyOfInvitation(chat, ada, email, { stream_ids })))).text,
      )?.[1]

    const twelve = await listed('one@x.com', ids.slice(1))
    const thirteen = await listed('two@x.com', ids)

    assert.match(twelve ?? '', /^#c11, .*, #c22$/)
    assert.match(thirteen ?? '', /^#c10, .*, #c21, and 1 more$/)
  })

  test('names the type of the organization if there is one', async () => {
    const { chat, ada, browser } = await startWithOwner()
    const key = await keyOfInvitation(chat, ada, 'new@x.com')
    await ada.succeed('PATCH /realm', { org_type: 20 })

    assert.match((await browser.open(doConfirm(key))).text, /Join Example Open-source project Ada invited you/)
  })

  test('creates the account and logs the user in; viewing it first does not use the invitation', async () => {
    const { chat, ada, browser } = await startWithOwner()
    const key = await keyOfInvitation(chat, ada, 'new@x.com')
    for (let look = 0; look < 3; look += 1) await browser.open(doConfirm(key))

    const home = await browser.submit({ ...filled, timezone: 'Europe/Berlin' })

    assert.deepEqual([home.status, home.path], [200, '/'])
    assert.partialDeepStrictEqual(await browser.call('GET /users/me'), {
      full_name: 'Nelly',
      delivery_email: 'new@x.com',
      role: 400,
      timezone: 'Europe/Berlin',
    })
  })

  test('asks who can see the email address, and begins with the default of the organization', async () => {
    const { chat, ada, browser } = await startWithOwner()
    await ada.succeed('PATCH /realm/user_settings_defaults', { email_address_visibility: 2 })

    const shown = await browser.open(doConfirm(await keyOfInvitation(chat, ada, 'new@x.com')))
    await browser.submit({ ...filled, email_address_visibility: '4' })

    assert.match(shown.body, /<option value="2" selected>Members</)
    const settings = (await browser.call('POST /register'))['user_settings']
    assert.equal(settings.email_address_visibility, 4)
  })

  test('creates an account with the default settings of the organization', async () => {
    const { chat, ada, browser } = await startWithOwner()
    await ada.succeed('PATCH /realm/user_settings_defaults', { color_scheme: 2, email_address_visibility: 2 })

    await browser.open(doConfirm(await keyOfInvitation(chat, ada, 'new@x.com')))
    await browser.submit({ ...filled, email_address_visibility: '4' })

    const settings = (await browser.call('POST /register'))['user_settings']
    assert.deepEqual([settings.color_scheme, settings.email_address_visibility], [2, 4])
  })

  test('of a link asks for an address, and names the allowed domains', async () => {
    const { ada, browser } = await startWithOwner()
    const key = await keyOfLink(ada, { allowed_domains: ['x.com', 'y.com'], invite_expires_in_minutes: null })

    const shown = await browser.open(joinBy(key))
    const refused = await browser.submit({ ...filled, email: 'a@z.com' })
    const home = await browser.submit({ ...filled, email: 'a@y.com' })

    assert.match(shown.text, /Expires Never .*Use an address at x\.com or y\.com\./)
    assert.doesNotMatch(shown.body, /readonly/)
    assert.deepEqual([refused.status, home.path], [400, '/'])
    assert.match(refused.text, /This link only accepts addresses at x\.com, y\.com\./)
  })

  test('shows all errors at once, in a summary and beside the fields, and keeps everything except the password', async () => {
    const { chat, ada, browser } = await startWithOwner()
    const key = await keyOfLink(ada, { allowed_domains: ['x.com'] })
    await browser.open(joinBy(key))

    const { status, text, body } = await browser.submit({ email: 'a@z.com', full_name: '<b>@', password: 'short' })

    assert.equal(status, 400)
    assert.match(body, /<title>Error: Join Example/)
    assert.match(
      text,
      /There is a problem This link only accepts .* Invalid characters in name! The password must have at least 8/,
    )
    for (const name of ['email', 'full_name', 'password']) {
      assert.match(body, new RegExp(`<a href="#${name}">`))
      assert.match(body, new RegExp(`<input id="${name}"[^>]* aria-invalid="true"`))
    }
    assert.match(body, /<input id="email"[^>]* value="a@z\.com"[^>]* autofocus>/)
    assert.match(body, /<input id="full_name"[^>]* value="&lt;b&gt;@"/)
    assert.doesNotMatch(body, /short/)
    assert.equal((await usersOf(chat)).length, 1)
  })

  test('redirects to the login page if the address has an account', async () => {
    const { chat, ada, browser } = await startWithOwner()
    const [link, invitation] = [await keyOfLink(ada), await keyOfInvitation(chat, ada, 'new@x.com')]
    await ada.succeed('POST /users', { email: 'new@x.com', full_name: 'New', password: PASSWORD })
    const login = '/login/?email=new%40x.com&already_registered=1'

    assert.equal((await browser.open(doConfirm(invitation))).path, login)
    await browser.open(joinBy(link))
    assert.equal((await browser.submit({ ...filled, email: 'new@x.com' })).path, login)
  })

  test('escapes names', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { ...owner, fullName: '<img src=x>' })
    const channel = await chat.channel('<i>tea</i>', [])
    const key = await keyOfLink(ada, { stream_ids: [channel.id] })

    const { body } = await openBrowser(chat).open(joinBy(key))

    assert.doesNotMatch(body, /<img src=x|<i>/)
    assert.match(body, /&lt;img src=x&gt; invited you as a member/)
  })

  test('lets a logged-in user continue, or join with another account', async () => {
    const { chat, ada } = await startWithOwner()
    const key = await keyOfLink(ada)
    const browser = await signIn(chat, ada)
    const sessions = () => chat.app.services.db.selectFrom('sessions').select('userId').execute()

    const asked = await browser.open(joinBy(key))
    await browser.open(`${joinBy(key)}?another`)
    const home = await browser.submit({ ...filled, email: 'second@x.com' })

    assert.match(asked.text, /You are logged in as Ada .* Continue as Ada Join with another account/)
    assert.equal(home.path, '/')
    const { user_id } = await memberOf(ada, 'second@x.com')
    assert.deepEqual(await sessions(), [{ userId: user_id }])
  })

  test('refuses a form sent by another site', async () => {
    const { chat, ada } = await startWithOwner()
    const key = await keyOfLink(ada)
    const response = await chat.request({
      method: 'POST',
      path: '/accounts/register/',
      headers: {
        host: 'parley.test',
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'cross-site',
      },
      body: new URLSearchParams({ key, email: 'a@x.com', ...filled }).toString(),
    })

    assert.equal(response.status, 403)
    assert.equal((await usersOf(chat)).length, 1)
  })

  test('limits the rate of attempts, and keeps the fields', async () => {
    const { ada, browser } = await startWithOwner({ RATE_LIMITING: true })
    const key = await keyOfLink(ada)
    await browser.open(joinBy(key))
    for (let attempt = 0; attempt < 30; attempt += 1) await browser.submit({ email: 'a@x.com', password: 'short' })

    const { status, headers, text, body } = await browser.submit({ email: 'b@x.com', ...filled })

    assert.deepEqual([status, headers['retry-after']], [429, '60'])
    assert.match(text, /Too many people are joining right now\. Try again in 60 seconds\./)
    assert.match(body, /value="Nelly"/)
  })
})

suite('a link that cannot be used shows the reason', () => {
  test('if it is unknown: mistyped, of the other kind, or of another organization', async () => {
    const { chat, ada, browser } = await startWithOwner()
    await chat.organization('other')
    const [invitation, link] = [await keyOfInvitation(chat, ada, 'new@x.com'), await keyOfLink(ada)]
    const elsewhere = openBrowser(chat, { host: 'other.parley.test' })

    const pages = [
      await browser.open(doConfirm('a'.repeat(32))),
      await browser.open(doConfirm('%00')),
      await browser.open(doConfirm(link)),
      await browser.open(joinBy(invitation)),
      await elsewhere.open(joinBy(link)),
    ]

    for (const { status, text } of pages) {
      assert.equal(status, 404)
      assert.match(text, /Invitation not found/)
    }
  })

  test('if it expired, was revoked or used up, or its inviter may no longer invite', async () => {
    const { chat, ada, browser } = await startWithOwner()
    const ben = await chat.user('ben')
    const brief = { invite_expires_in_minutes: 1 }
    const links = {
      expired: doConfirm(await keyOfInvitation(chat, ada, 'expired@x.com', brief)),
      withdrawn: doConfirm(await keyOfInvitation(chat, ada, 'withdrawn@x.com')),
      used: doConfirm(await keyOfInvitation(chat, ada, 'used@x.com')),
      usedUp: joinBy(await keyOfLink(ada, { max_uses: 1 })),
      orphaned: doConfirm(await keyOfInvitation(chat, ben, 'orphaned@x.com')),
    }
    const { invites } = await ada.succeed('GET /invites')
    await ada.succeed(`DELETE /invites/${invites[1].id}`)
    await accept(chat, links.used.split('/')[3] ?? '')
    await accept(chat, links.usedUp.split('/')[2] ?? '', { email: 'a@x.com' })
    await ada.succeed(`DELETE /users/${ben.id}`)
    await chat.clock.advance(61)
    const open = async (path: string) => {
      const { status, text } = await browser.open(path)
      assert.equal(status, 404, path)
      return text
    }

    assert.match(
      await open(links.expired),
      /has expired Ada invited you to Example\. The invitation was valid until 2030-01-05 10:01 UTC ?\. Ask Ada/,
    )
    assert.match(await open(links.withdrawn), /was revoked It was sent by Ada at Example/)
    assert.match(await open(links.used), /has been used It was used to create an account at Example/)
    assert.match(await open(links.usedUp), /has been used This link has reached its maximum number of uses/)
    assert.match(await open(links.orphaned), /is no longer valid Its sender can no longer invite you/)
  })

  test('if the address joined by another invitation, with a link to log in', async () => {
    const { chat, ada, browser } = await startWithOwner()
    const first = await keyOfInvitation(chat, ada, 'new@x.com')
    const second = await keyOfInvitation(chat, ada, 'new@x.com')
    await accept(chat, first)

    const { status, text, body } = await browser.open(doConfirm(second))

    assert.equal(status, 404)
    assert.match(text, /You already have an account new@x\.com belongs to an account at Example/)
    assert.match(body, /href="\/login\/\?email=new%40x\.com"/)
  })

  test('if the organization does not accept the address or has no free license, and refers to the inviter', async () => {
    const { chat, ada, browser } = await startWithOwner()
    const key = await keyOfInvitation(chat, ada, 'new@x.com')
    await chat.change({ license_limit: 1 })
    await browser.open(doConfirm(key))

    const { status, text } = await browser.submit(filled)

    assert.equal(status, 400)
    assert.match(
      text,
      /You cannot join Example yet This organization has reached its maximum number of users\. Ask Ada/,
    )
  })
})
