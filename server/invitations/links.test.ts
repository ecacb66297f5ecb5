import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Role } from '#rules/role.ts'
import { refusalResponse } from '../../test/channels.ts'
import { type Person, START, startChat } from '../../test/harness.ts'

const DAY = 86_400

const owner = { role: Role.owner }

async function linksOf(person: Person) {
  const { invites } = await person.succeed('GET /invites')
  return invites.filter(({ is_multiuse }: { is_multiuse: boolean }) => is_multiuse)
}

/** Creates a link and returns its id. */
async function makeLink(person: Person, params: Record<string, unknown> = {}): Promise<number> {
  await person.succeed('POST /invites/multiuse', params)
  return (await linksOf(person)).at(-1).id
}

suite('creating links', () => {
  test('the URL of a link is returned on creation and in the list, after the email invitations', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', owner)
    const design = await chat.channel('design', [])
    const offer = { stream_ids: [design.id], invite_as: 600, max_uses: 5, allowed_domains: [' X.com', 'x.com'] }

    const { invite_link } = await ada.succeed('POST /invites/multiuse', offer)
    await ada.succeed('POST /invites', { invitee_emails: 'new@x.com', stream_ids: [] })

    assert.match(invite_link, /^http:\/\/parley\.test\/join\/[a-z2-7]{32}\/$/)
    const [first, link, ...others] = (await ada.succeed('GET /invites'))['invites']
    assert.deepEqual([first.email, others], ['new@x.com', []])
    assert.deepEqual(link, {
      id: link.id,
      invited_by_user_id: ada.id,
      invited: START,
      expiry_date: START + 10 * DAY,
      invited_as: 600,
      notify_referrer_on_join: true,
      is_multiuse: true,
      link_url: invite_link,
      uses: 0,
      max_uses: 5,
      allowed_domains: ['x.com'],
    })
  })

  test('a link has the fields of its limits if it has limits, or on request', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', owner)
    for (const limits of [{}, { max_uses: 2 }, { allowed_domains: ['x.com'] }])
      await ada.succeed('POST /invites/multiuse', limits)
    const limitsOf = async (params = {}) => {
      const { invites } = await ada.succeed('GET /invites', params)
      return invites.map(({ uses, max_uses, allowed_domains }: Record<string, unknown>) => [
        uses,
        max_uses,
        allowed_domains,
      ])
    }

    assert.deepEqual(await limitsOf(), [
      [undefined, undefined, undefined],
      [0, 2, undefined],
      [undefined, undefined, ['x.com']],
    ])
    assert.deepEqual(await limitsOf({ include_link_limits: true }), [
      [0, null, []],
      [0, 2, []],
      [0, null, ['x.com']],
    ])
  })

  test('only owners see the URL of a link for owners', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', owner)
    const admin = await chat.user('admin', { role: Role.administrator })
    const { invite_link } = await ada.succeed('POST /invites/multiuse', { invite_as: Role.owner })

    const [link] = await linksOf(ada)
    const [shown] = await linksOf(admin)

    assert.equal(link.link_url, invite_link)
    assert.deepEqual({ ...shown, link_url: invite_link }, link)
    assert.equal('link_url' in shown, false)
  })

  test('the database does not contain the key of a link', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', owner)

    const { invite_link } = await ada.succeed('POST /invites/multiuse')

    const key = invite_link.split('/').at(-2)
    const { db } = chat.app.services
    const rows = [
      await db.selectFrom('invitations').selectAll().execute(),
      await db.selectFrom('events').selectAll().execute(),
    ]
    assert.equal(JSON.stringify(rows).includes(key), false)
  })

  test('no email is sent, and users who see the list receive an event', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', owner)
    const admin = await chat.user('admin', { role: Role.administrator })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    await chat.change({ create_multiuse_invite_group: 'role:members' })

    await ben.succeed('POST /invites/multiuse')

    assert.deepEqual(await chat.mail(), [])
    for (const person of [ada, admin, ben]) assert.deepEqual(await chat.eventsOf(person), [{ type: 'invites_changed' }])
    assert.deepEqual(await chat.eventsOf(cleo), [])
  })

  test('only administrators can create links, unless the organization says otherwise', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', owner)
    const [ben, gus] = [await chat.user('ben'), await chat.user('gus', { role: Role.guest })]

    const before = await ben.call('POST /invites/multiuse')
    await chat.change({ create_multiuse_invite_group: 'role:members', can_invite_users_group: 'role:nobody' })
    const after = await ben.call('POST /invites/multiuse')
    await chat.change({ create_multiuse_invite_group: 'role:nobody' })

    assert.deepEqual([before, after.result], [refusalResponse('Insufficient permission'), 'success'])
    assert.deepEqual(await ada.call('POST /invites/multiuse'), refusalResponse('Insufficient permission'))
    assert.deepEqual(await gus.call('POST /invites/multiuse'), refusalResponse('Not allowed for guest users'))
  })

  test('role, channels and groups are checked as for email invitations', async () => {
    const chat = await startChat()
    const [mod, ben] = [await chat.user('mod', { role: Role.moderator }), await chat.user('ben')]
    await chat.change({ create_multiuse_invite_group: 'role:members', can_add_subscribers_group: 'role:moderators' })
    const design = await chat.channel('design', [])
    const secret = await chat.channel('secret', [ben], { isPrivate: true })
    const make = async (person: Person, params: Record<string, unknown>) =>
      (await person.call('POST /invites/multiuse', params)).msg

    assert.equal(await make(mod, { invite_as: 300, stream_ids: [design.id] }), '')
    assert.equal(await make(mod, { invite_as: 200 }), 'Must be an organization administrator')
    assert.equal(await make(mod, { invite_as: 100 }), 'Must be an organization owner')
    assert.equal(await make(ben, { invite_as: 300 }), 'Must be an organization moderator')
    assert.equal(await make(mod, { stream_ids: [secret.id] }), `Invalid channel ID ${secret.id}. No invites were sent.`)
    assert.equal(
      await make(ben, { stream_ids: [design.id] }),
      'You do not have permission to subscribe other users to channels.',
    )
    assert.equal(await make(ben, { group_ids: [4711] }), 'Invalid user group')
    assert.equal((await linksOf(mod)).length, 1)
  })

  test('a link that no one could use is refused', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', owner)
    const make = async (params: Record<string, unknown>) => (await ada.call('POST /invites/multiuse', params)).msg

    assert.equal(await make({ max_uses: 0 }), 'A link must allow at least one account.')
    assert.equal(await make({ max_uses: '1.5' }), 'max_uses is not an integer')
    assert.match(await make({ allowed_domains: ['nonsense'] }), /^Invalid domain: /)
    assert.equal(await make({ invite_expires_in_minutes: 0 }), 'An invitation must be valid for at least one minute.')
    assert.deepEqual(await linksOf(ada), [])
  })
})

suite('managing links', () => {
  test('a link is revoked once, by its creator or an administrator', async () => {
    const chat = await startChat()
    const [admin, ben] = [await chat.user('admin', { role: Role.administrator }), await chat.user('ben')]
    const cleo = await chat.user('cleo')
    await chat.change({ create_multiuse_invite_group: 'role:members' })
    const [first, second] = [await makeLink(ben), await makeLink(ben)]
    const withdraw = async (person: Person, id: number) => (await person.call(`DELETE /invites/multiuse/${id}`)).msg

    const responses = [
      await withdraw(cleo, first),
      await withdraw(ben, first),
      await withdraw(ben, first),
      await withdraw(admin, second),
    ]

    assert.deepEqual(responses, [
      'Must be an organization administrator',
      '',
      'Invitation has already been revoked',
      '',
    ])
    assert.deepEqual(await linksOf(admin), [])
  })

  test('only owners can manage a link for owners', async () => {
    const chat = await startChat()
    const [ada, admin] = [await chat.user('ada', owner), await chat.user('admin', { role: Role.administrator })]
    const id = await makeLink(ada, { invite_as: 100 })

    const response = await admin.call(`PATCH /invites/multiuse/${id}`, { invite_expires_in_minutes: 10 })

    assert.deepEqual(response, refusalResponse('Must be an organization owner', 'UNAUTHORIZED_PRINCIPAL'))
  })

  test('the endpoints for links do not accept email invitations, nor the other way round', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', owner)
    const link = await makeLink(ada)
    await ada.succeed('POST /invites', { invitee_emails: 'new@x.com', stream_ids: [] })
    const [{ id: invitation }] = (await ada.succeed('GET /invites'))['invites']
    const none = refusalResponse('No such invitation')

    for (const [method, params] of [
      ['DELETE', {}],
      ['PATCH', { invite_expires_in_minutes: 10 }],
    ] as const) {
      assert.deepEqual(await ada.call(`${method} /invites/${link}`, params), none)
      assert.deepEqual(await ada.call(`${method} /invites/multiuse/${invitation}`, params), none)
    }
    assert.deepEqual(await ada.call(`POST /invites/${link}/resend`), none)
  })

  test('an expired link is not listed, and becomes valid again when it is extended', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', owner)
    const id = await makeLink(ada, { invite_expires_in_minutes: 10 })
    await chat.clock.advance(601)

    const expired = await linksOf(ada)
    await ada.succeed(`PATCH /invites/multiuse/${id}`, { invite_expires_in_minutes: 20 })
    const [extended] = await linksOf(ada)
    await ada.succeed(`PATCH /invites/multiuse/${id}`, { invite_expires_in_minutes: null })
    const [endless] = await linksOf(ada)

    assert.deepEqual([expired, extended.expiry_date, endless.expiry_date], [[], START + 601 + 1200, null])
    assert.equal((await chat.eventsOf(ada)).length, 3)
  })

  test('deactivating an account ends its links, and administrators receive an event', async () => {
    const chat = await startChat()
    const [ada, bo] = [await chat.user('ada', owner), await chat.user('bo', owner)]
    await makeLink(bo)

    await ada.succeed(`DELETE /users/${bo.id}`)

    assert.deepEqual(await linksOf(ada), [])
    assert.deepEqual((await chat.eventsOf(ada)).at(-1), { type: 'invites_changed' })
  })
})
