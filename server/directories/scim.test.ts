import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { saveScimToken } from '#people/scim-tokens.ts'
import { BotType, Role } from '#rules/role.ts'
import { type Body, type Chat, type Person, START, type StartOptions, startChat } from '../../test/harness.ts'
import { Comparisons, matchesFilter, parseFilter } from './scim/filter.ts'
import type { Json } from './scim/resources.ts'

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'

type Answer = { status: number; headers: Record<string, unknown>; body: Body }

type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>

/** Returns a function that sends requests of a directory with the token. */
const sender =
  (chat: Chat, token: string, host = 'parley.test'): Send =>
  async (method, path, body, headers = {}) => {
    const answer = await chat.request({
      method,
      path: `/scim/v2${path}`,
      headers: {
        host,
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { ...answer, body: answer.body === '' ? null : JSON.parse(answer.body) }
  }

/** Starts an organization with an owner, a member and a bot, and the token of its directory. */
async function start(options: StartOptions = {}) {
  const chat = await startChat(options)
  const olga = await chat.user('olga', { role: Role.owner })
  const ben = await chat.user('ben', { fullName: 'Ben Bitdiddle' })
  const robo = await chat.user('robo', { botType: BotType.generic, owner: olga })
  const { token } = await olga.succeed('POST /realm/scim_token')
  return { chat, olga, ben, robo, token: token as string, send: sender(chat, token) }
}

const patch = (...Operations: unknown[]) => ({ schemas: [PATCH], Operations })

const filtered = (filter: string, kind = 'Users') => `/${kind}?filter=${encodeURIComponent(filter)}`

const idsOf = ({ body }: Answer) => body.Resources.map(({ id }: { id: string }) => id)

const isActive = async (chat: Chat, { id }: { id: number | string }) =>
  (
    await chat.app.services.db
      .selectFrom('users')
      .select('deactivatedAt')
      .where('id', '=', Number(id))
      .executeTakeFirst()
  )?.deactivatedAt === null

suite('the token', () => {
  test('only owners make, see and delete it, and it works until it is replaced or deleted', async () => {
    const { olga, chat, token, send } = await start()
    const ada = await chat.user('ada', { role: Role.administrator })

    const byOther = await ada.call('POST /realm/scim_token')
    const before = await olga.succeed('GET /realm/scim_token')
    const used = await send('GET', '/Users')
    const after = await olga.succeed('GET /realm/scim_token')
    await chat.clock.advance(3600)
    await send('GET', '/Users')
    const hourLater = await olga.succeed('GET /realm/scim_token')
    await chat.clock.advance(1)
    await send('GET', '/Users')
    const later = await olga.succeed('GET /realm/scim_token')
    const { token: second } = await olga.succeed('POST /realm/scim_token')
    const replaced = await send('GET', '/Users')
    const bySecond = await sender(chat, second)('GET', '/Users')
    await olga.succeed('DELETE /realm/scim_token')
    const deleted = await sender(chat, second)('GET', '/Users')

    assert.equal(byOther.status, 400)
    assert.deepEqual([before['scim_token'].creator_id, before['scim_token'].last_used_at], [olga.id, null])
    assert.deepEqual(
      [after, hourLater, later].map(({ scim_token }) => scim_token.last_used_at),
      [0, 0, 3601].map((seconds) => Math.floor(START) + seconds),
    )
    assert.deepEqual(
      [used, replaced, bySecond, deleted].map(({ status }) => status),
      [200, 401, 200, 401],
    )
    const rows = await chat.app.services.db.selectFrom('scimTokens').selectAll().execute()
    assert.ok(!JSON.stringify(rows).includes(token))
  })

  test('a missing, wrong or foreign token lets nobody in, and the error has the shape of SCIM', async () => {
    const { chat, token } = await start()
    const other = await chat.organization('other')
    const foreign = await chat.app.services.transaction((tx) => saveScimToken(tx, other.id, null))

    const wrong = await sender(chat, 'x'.repeat(43))('GET', '/Users')
    const byForeign = await sender(chat, foreign)('GET', '/Users')
    const elsewhere = await sender(chat, token, 'other.parley.test')('GET', '/Users')
    const none = await chat.request({ method: 'GET', path: '/scim/v2/Users', headers: { host: 'parley.test' } })

    for (const answer of [wrong, byForeign, elsewhere]) {
      assert.equal(answer.status, 401)
      assert.equal(answer.headers['www-authenticate'], 'Bearer realm="parley"')
      assert.equal(answer.headers['content-type'], 'application/scim+json')
      assert.deepEqual(answer.body, {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '401',
        detail: 'The bearer token is missing or not valid',
      })
    }
    assert.equal(none.status, 401)
    assert.ok(!none.body.includes('Users'))
  })

  test('a session or an API key does not open SCIM, and the token opens no other path', async () => {
    const { chat, olga, token } = await start()
    const basic = Buffer.from(`${olga.email}:${olga.apiKey}`).toString('base64')

    const byKey = await sender(chat, token)('GET', '/Users', undefined, { authorization: `Basic ${basic}` })
    const elsewhere = await chat.request({
      method: 'GET',
      path: '/api/v1/users',
      headers: { host: 'parley.test', authorization: `Bearer ${token}` },
    })

    assert.deepEqual([byKey.status, elsewhere.status], [401, 400])
  })

  test('requests beyond the limit are refused before they do anything, for this organization alone', async () => {
    const { chat, send } = await start({ settings: { RATE_LIMITING: true } })
    for (let count = 0; count < 3000; count += 1)
      chat.app.services.rateLimiter.take(`directory of ${chat.realm.id}`, [[60, 3000]], chat.clock.now())

    const refused = await send('POST', '/Users', {
      userName: 'new@example.com',
      name: { formatted: 'New' },
      active: true,
    })

    assert.deepEqual([refused.status, refused.body.status], [429, '429'])
    assert.ok(Number(refused.headers['retry-after']) > 0)
    const created = await chat.app.services.db
      .selectFrom('users')
      .select('id')
      .where('emailKey', '=', 'new@example.com')
      .execute()
    assert.deepEqual(created, [])
  })

  test('a body of more than 64 KiB needs a valid token', async () => {
    const { chat, send } = await start()
    const body = {
      schemas: [USER],
      userName: 'new@example.com',
      name: { formatted: 'New' },
      active: true,
      notes: 'x'.repeat(70_000),
    }

    const accepted = await send('POST', '/Users', body)
    const refused = await chat.request({
      method: 'POST',
      path: '/scim/v2/Users',
      headers: {
        host: 'parley.test',
        authorization: `Bearer ${'y'.repeat(43)}`,
        'content-type': 'application/scim+json',
      },
      body: JSON.stringify({ ...body, userName: 'other@example.com' }),
    })

    assert.deepEqual([accepted.status, refused.status], [201, 401])
  })

  test('the directory acts for the owner who is there longest, if the one who made the token is no longer an owner', async () => {
    const { chat, olga, send } = await start()
    const second = await chat.user('second', { role: Role.owner })

    const gone = await send('PATCH', `/Users/${olga.id}`, patch({ op: 'replace', path: 'active', value: false }))
    const after = await send('POST', '/Groups', { schemas: [GROUP], displayName: 'after' })

    assert.deepEqual([gone.status, after.status], [200, 201])
    const row = await chat.app.services.db
      .selectFrom('userGroups')
      .select('creatorId')
      .where('name', '=', 'after')
      .executeTakeFirst()
    assert.equal(row?.creatorId, second.id)
  })
})

suite('users', () => {
  test('are created, read, replaced, changed and deleted as in the examples of RFC 7644', async () => {
    const { chat, send } = await start()
    const given = {
      schemas: [USER],
      userName: 'bjensen@example.com',
      externalId: 'bjensen',
      active: true,
      name: { formatted: 'Ms. Barbara J Jensen III', familyName: 'Jensen', givenName: 'Barbara' },
    }

    const created = await send('POST', '/Users', given)
    const { id } = created.body
    const replaced = await send('PUT', `/Users/${id}`, {
      ...given,
      id,
      name: { familyName: 'Jensen', givenName: 'Barbara' },
    })
    const changed = await send('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'name.familyName', value: 'Doe' }))
    const deleted = await send('DELETE', `/Users/${id}`)
    const missing = await send('GET', `/Users/${id}`)

    assert.equal(created.status, 201)
    assert.deepEqual(created.body, {
      schemas: [USER],
      id,
      externalId: 'bjensen',
      userName: 'bjensen@example.com',
      name: { formatted: 'Ms. Barbara J Jensen III', givenName: 'Ms.', familyName: 'Barbara J Jensen III' },
      displayName: 'Ms. Barbara J Jensen III',
      emails: [{ value: 'bjensen@example.com', type: 'work', primary: true }],
      active: true,
      role: 'member',
      groups: [],
      meta: {
        resourceType: 'User',
        created: '2030-01-05T10:00:00.000Z',
        location: `http://parley.test/scim/v2/Users/${id}`,
      },
    })
    assert.equal(created.headers['location'], created.body.meta.location)
    assert.deepEqual([replaced.status, replaced.body.displayName], [200, 'Barbara Jensen'])
    assert.deepEqual([changed.status, changed.body.name.formatted], [200, 'Barbara Doe'])
    assert.deepEqual([deleted.status, deleted.body, missing.status], [204, null, 404])
    assert.equal(await isActive(chat, { id }), false)
  })

  test('a deleted account comes back when it is created again, and an existing one is a conflict', async () => {
    const { chat, ben, send } = await start()
    await send('DELETE', `/Users/${ben.id}`)
    const listed = await send('GET', filtered(`userName eq "${ben.email}"`))

    const again = await send('POST', '/Users', {
      schemas: [USER],
      userName: ben.email,
      name: { formatted: 'Ben B' },
      externalId: 'b',
    })
    const conflict = await send('POST', '/Users', {
      schemas: [USER],
      userName: ben.email.toUpperCase(),
      name: { formatted: 'Ben' },
    })

    assert.equal(listed.body.totalResults, 0)
    assert.deepEqual([again.status, again.body.id, again.body.displayName], [201, String(ben.id), 'Ben B'])
    assert.equal(await isActive(chat, ben), true)
    assert.deepEqual([conflict.status, conflict.body.scimType, conflict.body.status], [409, 'uniqueness', '409'])
  })

  test('an account that an administrator reactivated is there again, and stays when they deactivate it', async () => {
    const { chat, olga, ben, send } = await start()
    await send('DELETE', `/Users/${ben.id}`)

    await olga.succeed(`POST /users/${ben.id}/reactivate`)
    const reactivated = await send('GET', `/Users/${ben.id}`)
    await chat.clock.advance(1)
    await olga.succeed(`DELETE /users/${ben.id}`)
    const deactivated = await send('GET', `/Users/${ben.id}`)

    assert.deepEqual([reactivated.status, reactivated.body.active], [200, true])
    assert.deepEqual([deactivated.status, deactivated.body.active], [200, false])
  })

  test('bots, accounts of other organizations and numbers without an account are missing alike', async () => {
    const { chat, robo, send } = await start()
    const other = await chat.organization('other')
    const foreign = await chat.user('eve', { realm: other })

    const ids = [robo.id, foreign.id, 987_654, 'x', '1e1', '__proto__']
    const answers = await Promise.all(
      ids.flatMap((id) => [
        send('GET', `/Users/${id}`),
        send('PUT', `/Users/${id}`, { schemas: [USER], userName: 'x@example.com', active: false }),
        send('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value: false })),
        send('DELETE', `/Users/${id}`),
      ]),
    )

    assert.deepEqual(
      new Set(answers.map(({ status, body }) => `${status} ${body.detail}`)),
      new Set(['404 There is no resource with this id.']),
    )
    assert.deepEqual([await isActive(chat, robo), await isActive(chat, foreign)], [true, true])
    const all = await send('GET', '/Users')
    assert.ok(![robo.id, foreign.id].some((id) => idsOf(all).includes(String(id))))
  })

  test('a new address counts once its holder has confirmed it, and is asked for once', async () => {
    const { chat, ben, send } = await start()

    const changed = await send(
      'PATCH',
      `/Users/${ben.id}`,
      patch({ op: 'replace', path: 'userName', value: 'benjamin@example.com' }),
    )
    await send('PATCH', `/Users/${ben.id}`, patch({ op: 'replace', path: 'userName', value: 'Benjamin@example.com' }))
    await send('PATCH', `/Users/${ben.id}`, patch({ op: 'replace', path: 'userName', value: ben.email.toUpperCase() }))

    assert.deepEqual([changed.status, changed.body.userName], [200, ben.email])
    assert.deepEqual(
      (await chat.mail()).flatMap(({ to }) => to).toSorted(),
      [ben.email, 'benjamin@example.com'].toSorted(),
    )
  })

  test('the rules of the organization about addresses and names hold', async () => {
    const { olga, send } = await start()
    await olga.succeed('POST /realm/domains', { domain: 'parley.example', allow_subdomains: false })
    await olga.succeed('PATCH /realm', { emails_restricted_to_domains: true })
    const create = (userName: string, formatted: string) =>
      send('POST', '/Users', { schemas: [USER], userName, name: { formatted } })

    const elsewhere = await create('eve@evil.example', 'Eve')
    const badName = await create('eve@parley.example', 'Eve **bold**')
    const noName = await create('eve.adams@parley.example', '')
    const noAddress = await create('', 'Eve')
    const fine = await create('eve@parley.example', 'Eve')

    assert.deepEqual(
      [elsewhere, badName, noAddress].map(({ status, body }) => [status, body.scimType]),
      Array.from({ length: 3 }, () => [400, 'invalidValue']),
    )
    assert.deepEqual([fine.status, noName.status, noName.body['displayName']], [201, 201, 'eve.adams'])
  })

  test('the last owner stays, whichever way the directory asks', async () => {
    const { chat, olga, send } = await start()
    const path = `/Users/${olga.id}`

    const answers = [
      await send('DELETE', path),
      await send('PATCH', path, patch({ op: 'replace', value: { active: false } })),
      await send('PATCH', path, patch({ op: 'replace', path: 'role', value: 'guest' })),
      await send('PUT', path, { schemas: [USER], userName: olga.email, active: false }),
    ]

    assert.deepEqual(
      answers.map(({ status }) => status),
      [400, 400, 400, 400],
    )
    assert.equal(await isActive(chat, olga), true)
  })

  test('have the role of the directory, by the names of the reference server', async () => {
    const { ben, send } = await start()

    const roles = []
    for (const value of ['guest', 'Moderator', 'administrator', 'owner', 'member'])
      roles.push((await send('PATCH', `/Users/${ben.id}`, patch({ op: 'add', path: 'role', value }))).body.role)
    const unknown = await send('PATCH', `/Users/${ben.id}`, patch({ op: 'add', path: 'role', value: 'king' }))

    assert.deepEqual(roles, ['guest', 'moderator', 'administrator', 'owner', 'member'])
    assert.deepEqual([unknown.status, unknown.body.scimType], [400, 'invalidValue'])
  })

  test('a change that is refused in part changes nothing', async () => {
    const { olga, chat, send } = await start()
    const second = await chat.user('second', { role: Role.owner })

    const refused = await send(
      'PATCH',
      `/Users/${olga.id}`,
      patch({ op: 'replace', path: 'displayName', value: 'New Name' }, { op: 'replace', path: 'role', value: 'king' }),
    )

    assert.equal(refused.status, 400)
    assert.notEqual((await send('GET', `/Users/${olga.id}`)).body.displayName, 'New Name')
    assert.equal((await send('GET', `/Users/${second.id}`)).status, 200)
  })
})

test('the audit log names the changes of a directory, and its client', async () => {
  const { chat, olga, ben, send } = await start()

  const created = await send('POST', '/Users', {
    schemas: [USER],
    userName: 'new@example.com',
    name: { formatted: 'New' },
  })
  await send('PATCH', `/Users/${ben.id}`, patch({ op: 'replace', value: { role: 'guest', displayName: 'Benny' } }))
  await send('DELETE', `/Users/${ben.id}`)

  const entries = await chat.app.services.db
    .selectFrom('auditEntries')
    .selectAll()
    .where('client', '=', 'SCIM')
    .orderBy('id')
    .execute()
  const newId = Number(created.body['id'])
  const { entries: shown } = await olga.succeed('GET /audit_log', { limit: 4 })
  assert.deepEqual(
    shown.map(({ origin, client }: { origin: string; client: string }) => `${origin} ${client}`),
    Array.from({ length: 4 }, () => 'directory SCIM'),
  )
  assert.deepEqual(
    entries.map(({ kind, targetId, actorId }) => [kind, targetId, actorId]),
    [
      ['account_created', newId, null],
      ['name_changed', ben.id, null],
      ['role_changed', ben.id, null],
      ['account_deactivated', ben.id, null],
    ],
  )
})

test('a directory fills no more accounts than the organization has licenses for', async () => {
  const { chat, olga, ben, send } = await start()
  const gus = await chat.user('gus', { role: Role.guest })
  const gone = await chat.user('gone')
  await send('DELETE', `/Users/${gone.id}`)
  const off = await chat.user('off')
  await olga.succeed(`DELETE /users/${off.id}`)
  await chat.change({ license_limit: 2 })
  const change = (person: Person, value: object) =>
    send('PATCH', `/Users/${person.id}`, patch({ op: 'replace', value }))
  const create = (userName: string, more: object = {}) => send('POST', '/Users', { schemas: [USER], userName, ...more })

  const refused = [
    await create('new@example.com'),
    await create(gone.email),
    await change(off, { active: true }),
    await change(gus, { role: 'member' }),
  ]
  const free = [
    await create('guest@example.com', { role: 'guest' }),
    await change(off, { active: true, role: 'guest' }),
    await change(gus, { displayName: 'Gus' }),
    await change(ben, { role: 'moderator' }),
    await change(ben, { active: false }),
    await change(gus, { role: 'member' }),
  ]

  for (const { status, body } of refused)
    assert.deepEqual([status, body.detail], [400, 'This organization has reached its maximum number of users.'])
  assert.deepEqual(
    free.map(({ status }) => status),
    [201, 200, 200, 200, 200, 200],
  )
})

test('erased accounts are missing, and nobody gives them a name again', async () => {
  const { olga, ben, send } = await start()
  await olga.succeed(`POST /users/${ben.id}/erasure`, {
    delete_channel_messages: false,
    delete_direct_messages: false,
    delete_files: false,
  })
  const path = `/Users/${ben.id}`
  const name = { formatted: 'Ben Bitdiddle' }
  const address = `deleted-user-${ben.id}@erased.invalid`

  const answers = [
    await send('GET', path),
    await send('PUT', path, { schemas: [USER], userName: ben.email, name, active: false }),
    await send('PATCH', path, patch({ op: 'replace', path: 'displayName', value: 'Ben Bitdiddle' })),
    await send('DELETE', path),
  ]
  const again = await send('POST', '/Users', { schemas: [USER], userName: address, name })
  const lists = [await send('GET', '/Users'), await send('GET', filtered(`userName eq "${address}"`))]
  const byOwner = await olga.call(`PATCH /users/${ben.id}`, { full_name: 'Ben Bitdiddle' })
  const { id: field } = await olga.succeed('POST /realm/profile_fields', { name: 'Motto', field_type: 1 })
  const profile = await olga.call(`PATCH /users/${ben.id}`, { profile_data: [{ id: field, value: 'Ben was here' }] })

  assert.deepEqual(
    answers.map(({ status }) => status),
    [404, 404, 404, 404],
  )
  assert.equal(again.status, 409)
  assert.deepEqual(lists.map(idsOf), [[String(olga.id)], []])
  for (const refused of [byOwner, profile])
    assert.deepEqual([refused.status, refused['msg']], [400, 'The data of this user was erased.'])
  const { user } = await olga.succeed(`GET /users/${ben.id}`)
  assert.equal(user.full_name, `Deleted user ${ben.id}`)
})

suite('lists', () => {
  test('filters find users by all operators, in any case and grouping', async () => {
    const { chat, send } = await start()
    const ada = await chat.user('ada', { fullName: 'Ada Lovelace', role: Role.guest, joinedAt: START })
    const cleo = await chat.user('cleo', { fullName: 'Cleo "C" Egypt' })
    await send('PATCH', `/Users/${ada.id}`, patch({ op: 'add', path: 'externalId', value: 'Ex-1' }))
    await send('PATCH', `/Users/${cleo.id}`, patch({ op: 'replace', path: 'active', value: false }))

    const found = async (filter: string) => {
      const answer = await send('GET', filtered(filter))
      assert.equal(answer.status, 200, `${filter}: ${JSON.stringify(answer.body)}`)
      return answer.body.Resources.map(({ userName }: { userName: string }) => userName.split('@')[0]).join(' ')
    }

    const cases: readonly [string, string][] = [
      ['userName eq "ADA@example.com"', 'ada'],
      ['username EQ "nobody@example.com"', ''],
      [`${USER}:userName sw "ada"`, 'ada'],
      ['userName ne "ada@example.com"', 'olga ben cleo'],
      ['name.familyName co "LOVE"', 'ada'],
      ['name.givenName eq "Ada" and role eq "guest"', 'ada'],
      ['displayName ew "diddle"', 'ben'],
      ['displayName co "\\"C\\""', 'cleo'],
      ['externalId pr', 'ada'],
      ['externalId eq "Ex-1"', 'ada'],
      ['externalId eq "ex-1"', ''],
      ['externalId eq null', 'olga ben cleo'],
      ['active eq false', 'cleo'],
      ['active eq "true"', ''],
      ['not (active eq true)', 'cleo'],
      ['userName eq "ada@example.com" or userName eq "ben@example.com" and active eq false', 'ada'],
      ['(userName eq "ada@example.com" or userName eq "ben@example.com") and active eq true', 'ben ada'],
      ['emails[type eq "work" and value co "@example.com"]', 'olga ben ada cleo'],
      ['emails.value eq "ben@example.com"', 'ben'],
      ['emails co "ben@"', 'ben'],
      ['emails[type eq "home"]', ''],
      ['meta.created eq "2030-01-05T11:00:00+01:00"', 'ada'],
      ['meta.created gt "2030-01-05T10:00:00Z"', ''],
      ['meta.created lt "2031-01-01T00:00:00Z" and meta.created le "2030-01-05T10:00:00Z"', 'olga ben ada cleo'],
      ['urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department eq "x"', ''],
      ['constructor pr', ''],
    ]
    for (const [filter, expected] of cases) assert.equal(await found(filter), expected, filter)
  })

  test('filters that are not valid are refused, and say why', async () => {
    const { send } = await start()
    const wrong = [
      'userName',
      'userName eq',
      'userName is "x"',
      'userName eq "x',
      'userName eq constructor',
      '"x" eq userName',
      'userName eq "x" and',
      '(userName eq "x"',
      'emails[type eq "work"',
      'not userName eq "x"',
      'active gt true',
      'userName eq "x" userName',
      `${'('.repeat(30)}userName pr${')'.repeat(30)}`,
      '"; drop table users',
    ]

    for (const filter of wrong) {
      const { status, body } = await send('GET', filtered(filter))
      assert.deepEqual([status, body.scimType], [400, 'invalidFilter'], filter)
    }
  })

  test('have pages, and only the attributes that the request wants', async () => {
    const { chat, olga, ben, send } = await start()
    const ada = await chat.user('ada')

    const first = await send('GET', '/Users?startIndex=1&count=2')
    const second = await send('GET', '/Users?startIndex=3&count=2')
    const beyond = await send('GET', '/Users?startIndex=50')
    const none = await send('GET', '/Users?count=0')
    const odd = await send('GET', '/Users?startIndex=-3&count=-1')
    const some = await send('GET', '/Users?attributes=userName,NAME.givenname&count=1')
    const without = await send('GET', `/Users/${ada.id}?excludedAttributes=emails.type,groups,meta,name`)

    assert.deepEqual(
      [first, second, beyond, none, odd].map(({ body }) => [body.totalResults, body.startIndex, body.itemsPerPage]),
      [
        [3, 1, 2],
        [3, 3, 1],
        [3, 50, 0],
        [3, 1, 0],
        [3, 1, 0],
      ],
    )
    assert.deepEqual(
      [...idsOf(first), ...idsOf(second)],
      [olga, ben, ada].map(({ id }) => String(id)),
    )
    assert.deepEqual(some.body.Resources, [
      { schemas: [USER], id: String(olga.id), userName: olga.email, name: { givenName: 'Olga' } },
    ])
    assert.deepEqual(Object.keys(without.body), [
      'schemas',
      'id',
      'userName',
      'displayName',
      'emails',
      'active',
      'role',
    ])
    assert.deepEqual(without.body.emails, [{ value: ada.email, primary: true }])
  })
})

suite('groups', () => {
  /** Creates a group of the directory with these members. Returns its path. */
  async function createGroup(send: Send, members: readonly Person[], displayName = 'Tour Guides') {
    const { status, body } = await send('POST', '/Groups', {
      schemas: [GROUP],
      displayName,
      members: members.map(({ id }) => ({ value: String(id) })),
    })
    assert.equal(status, 201, JSON.stringify(body))
    return { id: body.id as string, path: `/Groups/${body.id}`, body }
  }

  const members = (answer: Answer) => answer.body.members.map(({ value }: { value: string }) => value)

  test('are user groups, and their members are people and groups', async () => {
    const { chat, olga, ben, robo, send } = await start()
    const ada = await chat.user('ada')

    const { id, path, body } = await createGroup(send, [ben])
    const inner = await createGroup(send, [ada], 'Inner')
    const withGroup = await send(
      'PATCH',
      path,
      patch({ op: 'add', path: 'members', value: [{ value: inner.id }, { value: String(ada.id) }] }),
    )
    const renamed = await send('PATCH', path, patch({ op: 'replace', path: 'displayName', value: 'Guides' }))
    const without = await send('PATCH', path, patch({ op: 'remove', path: `members[value eq "${ada.id}"]` }))
    const refused = await send(
      'PATCH',
      path,
      patch({ op: 'add', path: 'members', value: [{ value: String(robo.id) }] }),
    )

    const numericId = Number(id.replace('group-', ''))
    assert.deepEqual(body.members, [
      {
        value: String(ben.id),
        $ref: `http://parley.test/scim/v2/Users/${ben.id}`,
        display: 'Ben Bitdiddle',
        type: 'User',
      },
    ])
    assert.deepEqual(members(withGroup), [String(ben.id), String(ada.id), inner.id])
    assert.equal(renamed.body.displayName, 'Guides')
    assert.deepEqual(members(without), [String(ben.id), inner.id])
    assert.deepEqual([refused.status, refused.body.scimType], [400, 'invalidValue'])
    const { user_groups } = await olga.succeed('GET /user_groups')
    const group = user_groups.find((one: { id: number }) => one.id === numericId)
    assert.deepEqual([group.name, group.members], ['Guides', [ben.id]])
    assert.deepEqual(
      (await send('GET', `/Users/${ben.id}`)).body.groups.map(({ display }: { display: string }) => display),
      ['Guides'],
    )
  })

  test('replacing the members keeps bots, and adding a deactivated account does nothing', async () => {
    const { chat, olga, ben, robo, send } = await start()
    const [ada, gone] = [await chat.user('ada'), await chat.user('gone')]
    await olga.succeed(`DELETE /users/${gone.id}`)
    const { id, path } = await createGroup(send, [ben])
    const group = id.replace('group-', '')
    await olga.succeed(`POST /user_groups/${group}/members`, { add: [robo.id] })

    const answer = await send('PUT', path, {
      schemas: [GROUP],
      displayName: 'Tour Guides',
      members: [ada, gone].map((person) => ({ value: String(person.id) })),
    })

    assert.deepEqual(members(answer), [String(ada.id)])
    const rows = await chat.app.services.db
      .selectFrom('userGroupMembers')
      .select('userId')
      .where('groupId', '=', Number(group))
      .execute()
    assert.deepEqual(rows.map(({ userId }) => userId).toSorted(), [robo.id, ada.id].toSorted())
  })

  test('a deleted group is missing in users and in groups that still contain it, and comes back to them', async () => {
    const { olga, ben, send } = await start()
    const inner = await createGroup(send, [ben], 'Inner')
    const outer = await createGroup(send, [ben], 'Outer')
    const numberOf = ({ id }: { id: string }) => id.replace('group-', '')
    const reactivate = (group: { id: string }) =>
      olga.succeed(`PATCH /user_groups/${numberOf(group)}`, { deactivated: false })
    await send('PATCH', outer.path, patch({ op: 'add', path: 'members', value: [{ value: inner.id }] }))
    await send('DELETE', outer.path)
    await send('DELETE', inner.path)
    await reactivate(outer)

    const shown = await send('GET', outer.path)
    const ofBen = await send('GET', `/Users/${ben.id}`)
    await send('PUT', outer.path, { schemas: [GROUP], displayName: 'Outer', members: [] })
    await reactivate(inner)

    assert.deepEqual(members(shown), [String(ben.id)])
    assert.deepEqual(
      ofBen.body.groups.map(({ display }: { display: string }) => display),
      ['Outer'],
    )
    assert.deepEqual(members(await send('GET', outer.path)), [inner.id])
  })

  test('replacing a user or a group without an id of the directory keeps the id', async () => {
    const { ben, send } = await start()
    const user = `/Users/${ben.id}`
    const group = (await createGroup(send, [], 'Guides')).path
    for (const path of [user, group]) await send('PATCH', path, patch({ op: 'add', path: 'externalId', value: 'x-1' }))

    const kept = [
      await send('PUT', user, { schemas: [USER], userName: ben.email }),
      await send('PUT', group, { schemas: [GROUP], displayName: 'Guides' }),
    ]
    const removed = [
      await send('PATCH', user, patch({ op: 'remove', path: 'externalId' })),
      await send('PATCH', group, patch({ op: 'remove', path: 'externalId' })),
    ]

    assert.deepEqual(
      [...kept, ...removed].map(({ body }) => body.externalId),
      ['x-1', 'x-1', undefined, undefined],
    )
  })

  test('groups of roles are listed, and cannot be changed; a deleted group is missing', async () => {
    const { olga, ben, send } = await start()
    const { path } = await createGroup(send, [ben])
    const listed = await send('GET', filtered('displayName eq "role:owners"', 'Groups'))
    const owners = listed.body.Resources[0]

    const changes = [
      await send(
        'PATCH',
        `/Groups/${owners.id}`,
        patch({ op: 'add', path: 'members', value: [{ value: String(ben.id) }] }),
      ),
      await send('PUT', `/Groups/${owners.id}`, { schemas: [GROUP], displayName: 'mine' }),
      await send('DELETE', `/Groups/${owners.id}`),
    ]
    const deleted = await send('DELETE', path)
    const missing = await send('GET', path)
    const taken = await send('POST', '/Groups', { schemas: [GROUP], displayName: 'New' })
    const conflict = await send('POST', '/Groups', { schemas: [GROUP], displayName: 'new' })

    assert.deepEqual(
      owners.members.map(({ value }: { value: string }) => value),
      [String(olga.id)],
    )
    assert.deepEqual(
      changes.map(({ status }) => status),
      [403, 403, 403],
    )
    assert.deepEqual([deleted.status, missing.status, taken.status], [204, 404, 201])
    assert.deepEqual([conflict.status, conflict.body.scimType], [409, 'uniqueness'])
    assert.equal((await send('GET', '/Groups/group-999999')).status, 404)
  })

  test('a group that a permission names is a conflict when it is deleted', async () => {
    const { olga, ben, send } = await start()
    const { id, path } = await createGroup(send, [ben])
    await olga.succeed('PATCH /realm', {
      can_move_messages_between_topics_group: { new: Number(id.replace('group-', '')) },
    })

    assert.equal((await send('DELETE', path)).status, 409)
    assert.equal((await send('GET', path)).status, 200)
  })
})

suite('limits of work', () => {
  const terms = (count: number, name: string) => Array.from({ length: count }, () => `${name} eq "x"`).join(' or ')

  /** The work that the directory is charged with, in units. */
  const workOf = ({ app, realm, clock }: Chat) =>
    app.services.workBudget.secondsToWait(`directory of ${realm.id}`, 1, clock.now()) / 60

  test('a filter has 50 terms at most, in a list and in the path of a change', async () => {
    const { ben, send } = await start()
    const change = (count: number) =>
      send('PATCH', `/Users/${ben.id}`, patch({ op: 'remove', path: `emails[${terms(count, 'value')}]` }))

    const fine = [await send('GET', filtered(terms(50, 'userName'))), await change(50)]
    const refused = [await send('GET', filtered(terms(51, 'userName'))), await change(51)]

    assert.deepEqual(
      fine.map(({ status }) => status),
      [200, 200],
    )
    assert.deepEqual(
      refused.map(({ status, body }) => [status, body.scimType]),
      [
        [400, 'invalidFilter'],
        [400, 'invalidFilter'],
      ],
    )
  })

  test('a change that would compare too much is refused, and one that removes many members is not', async () => {
    const { ben, olga, chat, send } = await start()
    const group = {
      schemas: [GROUP],
      displayName: 'Guides',
      members: [ben, olga].map(({ id }) => ({ value: `${id}` })),
    }
    const { body: created } = await send('POST', '/Groups', group)
    const repeat = (count: number, operation: unknown) => patch(...Array.from({ length: count }, () => operation))
    const search = { op: 'remove', path: `members[${terms(50, 'display')}]` }
    const rename = { op: 'replace', path: 'displayName', value: 'x'.repeat(40) }
    const remove = [ben.id, ...Array.from({ length: 900 }, (_, index) => 900_000 + index)].map((id) => ({
      op: 'remove',
      path: `members[value eq "${id}"]`,
    }))
    const path = `/Groups/${created.id}`

    const refused = [
      await send('PATCH', path, repeat(200, search)),
      await send('PATCH', path, repeat(1000, rename)),
      await send('PATCH', `/Users/${ben.id}`, repeat(1000, rename)),
      await send(
        'PATCH',
        path,
        patch({ op: 'replace', value: Object.fromEntries(remove.map((_, at) => [`a${at}`, 1])) }, ...remove),
      ),
    ]
    const before = await send('GET', path)
    const removed = await send('PATCH', path, patch(...remove))

    assert.deepEqual(
      refused.map(({ status, body }) => [status, body.scimType]),
      [...Array.from({ length: 3 }, () => [400, 'tooMany']), [400, 'invalidSyntax']],
    )
    assert.deepEqual([before.body.displayName, before.body.members.length], ['Guides', 2])
    assert.equal(removed.status, 200, JSON.stringify(removed.body))
    assert.deepEqual(
      removed.body.members.map(({ value }: Json) => value),
      [String(olga.id)],
    )
    assert.ok((await isActive(chat, ben)) && (await isActive(chat, olga)))
  })

  test('filters of lists compare so much and no more', () => {
    const filter = parseFilter(terms(50, 'members'))
    const resource = { members: Array.from({ length: 1000 }, (_, index) => ({ value: String(index) })) }
    const comparisons = new Comparisons()

    for (let count = 0; count < 4; count += 1) assert.equal(matchesFilter(resource, filter, comparisons), false)

    assert.equal(comparisons.count, 200_000)
    assert.throws(() => matchesFilter(resource, filter, comparisons), /too many comparisons/)
  })

  test('refused requests are charged for their work, too', async () => {
    const { ben, chat, send } = await start()
    await send('GET', '/Users')
    const atStart = workOf(chat)

    const missing = await send('GET', '/Users/999999')
    const afterMissing = workOf(chat)
    const invalid = await send('PATCH', `/Users/${ben.id}`, patch({ op: 'replace', path: 'role', value: 'king' }))
    const afterInvalid = workOf(chat)

    assert.deepEqual([missing.status, invalid.status], [404, 400])
    assert.ok(afterMissing - atStart >= 0.999)
    assert.ok(afterInvalid - afterMissing >= 0.999)
  })
})

test('the documents about the server say what it supports', async () => {
  const { send } = await start()

  const config = await send('GET', '/ServiceProviderConfig')
  const schemas = await send('GET', '/Schemas')
  const user = await send('GET', `/Schemas/${USER}`)
  const types = await send('GET', '/ResourceTypes')
  const group = await send('GET', '/ResourceTypes/Group')
  const others = [
    await send('GET', '/Nothing'),
    await send('POST', '/Bulk', { schemas: [], Operations: [] }),
    await send('GET', '/Me'),
    await send('POST', '/ServiceProviderConfig', {}),
    await send('GET', '/Schemas/urn:nothing'),
  ]

  assert.deepEqual(
    ['patch', 'bulk', 'filter', 'changePassword', 'sort', 'etag'].map((name) => config.body[name].supported),
    [true, false, true, false, false, false],
  )
  assert.deepEqual(idsOf(schemas), [USER, GROUP])
  assert.equal(user.body.name, 'User')
  assert.deepEqual(idsOf(types), ['User', 'Group'])
  assert.deepEqual([group.body.endpoint, group.body.schema], ['/Groups', GROUP])
  assert.deepEqual(
    others.map(({ status }) => status),
    [404, 501, 501, 405, 404],
  )
})

test('bodies that are not objects of JSON are refused', async () => {
  const { ben, send } = await start()
  const path = `/Users/${ben.id}`

  const answers = [
    await send('PATCH', path, '{'),
    await send('PATCH', path, '[]'),
    await send('PATCH', path, 'null'),
    await send('PATCH', path, patch()),
    await send('PATCH', path, patch({ op: 'destroy', path: 'active' })),
    await send('PATCH', path, { schemas: ['urn:x'], Operations: [{ op: 'remove', path: 'externalId' }] }),
  ]
  const media = await send('PATCH', path, 'active=false', { 'content-type': 'application/x-www-form-urlencoded' })
  const target = await send('PATCH', path, patch({ op: 'remove' }))
  const fixed = await send('PATCH', path, patch({ op: 'replace', path: 'id', value: '1' }))
  const json = await send('PATCH', path, patch({ op: 'replace', path: 'displayName', value: 'Ben' }), {
    'content-type': 'application/json; charset=utf-8',
  })

  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.scimType]),
    Array.from({ length: 6 }, () => [400, 'invalidSyntax']),
  )
  assert.equal(media.status, 415)
  assert.deepEqual([target.body.scimType, fixed.body.scimType], ['noTarget', 'mutability'])
  assert.equal(json.body.displayName, 'Ben')
})

test('Microsoft Entra ID provisions a user, changes and disables them, and fills a group', async () => {
  const { chat, send } = await start()

  // The test of the connection asks for a user that cannot exist.
  const probe = await send('GET', filtered('userName eq "non-existent-user"'))
  const created = await send('POST', '/Users', {
    schemas: [USER, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
    externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
    userName: 'Test_User_ab6490ee@example.com',
    active: true,
    addresses: null,
    displayName: 'lennay',
    emails: [{ type: 'work', value: 'Test_User_fd0ea19b@example.com', primary: true }],
    meta: { resourceType: 'User' },
    name: { formatted: 'Adrienne McNally', familyName: 'McNally', givenName: 'Adrienne' },
    phoneNumbers: null,
    roles: [],
    title: null,
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: null, manager: null },
  })
  const { id } = created.body
  const found = await send('GET', filtered('userName eq "Test_User_ab6490ee@example.com"'))
  const changed = await send(
    'PATCH',
    `/Users/${id}`,
    patch(
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updatedEmail@example.com' },
      { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
      { op: 'Add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'Sales' },
    ),
  )
  const renamed = await send(
    'PATCH',
    `/Users/${id}`,
    patch({ op: 'Add', value: { 'name.givenName': 'Ada', externalId: 'e-2' } }),
  )
  const disabled = await send('PATCH', `/Users/${id}`, patch({ op: 'Replace', path: 'active', value: 'False' }))
  const stillFound = await send('GET', `/Users/${id}`)
  const enabled = await send('PATCH', `/Users/${id}`, patch({ op: 'Replace', value: { active: 'True' } }))
  const group = await send('POST', '/Groups', {
    schemas: [GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
    externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
    displayName: 'displayName',
    meta: { resourceType: 'Group' },
  })
  const groupPath = `/Groups/${group.body.id}`
  const withoutMembers = await send(
    'GET',
    `${filtered('displayName eq "displayName"', 'Groups')}&excludedAttributes=members`,
  )
  const added = await send(
    'PATCH',
    groupPath,
    patch({ op: 'Add', path: 'members', value: [{ $ref: null, value: id }] }),
  )
  const isMember = await send('GET', `${filtered(`id eq "${group.body.id}" and members eq "${id}"`, 'Groups')}`)
  const removed = await send(
    'PATCH',
    groupPath,
    patch({ op: 'Remove', path: 'members', value: [{ $ref: null, value: id }] }),
  )
  const gone = [await send('DELETE', groupPath), await send('DELETE', `/Users/${id}`)]

  assert.deepEqual([probe.status, probe.body.totalResults, probe.body.Resources], [200, 0, []])
  assert.deepEqual([created.status, created.body.displayName], [201, 'Adrienne McNally'])
  assert.deepEqual(idsOf(found), [id])
  assert.deepEqual([changed.status, changed.body.displayName], [200, 'Adrienne updatedFamilyName'])
  assert.equal(changed.body.userName, 'Test_User_ab6490ee@example.com')
  assert.deepEqual([renamed.body.displayName, renamed.body.externalId], ['Ada updatedFamilyName', 'e-2'])
  assert.deepEqual([disabled.body.active, stillFound.body.active, enabled.body.active], [false, false, true])
  assert.deepEqual([group.status, withoutMembers.body.Resources[0].members], [201, undefined])
  assert.deepEqual(
    [added, isMember, removed].map(({ status }) => status),
    [200, 200, 200],
  )
  assert.deepEqual([added.body.members.length, idsOf(isMember), removed.body.members], [1, [group.body.id], []])
  assert.deepEqual(
    gone.map(({ status }) => status),
    [204, 204],
  )
  assert.equal(await isActive(chat, { id }), false)
})

test('Okta provisions a user, replaces and deactivates them, and pushes a group', async () => {
  const { chat, send } = await start()

  const probe = await send('GET', '/Users?startIndex=1&count=2')
  const exists = await send('GET', `${filtered('userName eq "test.user@example.com"')}&startIndex=1&count=100`)
  const given = {
    schemas: [USER],
    userName: 'test.user@example.com',
    name: { givenName: 'Test', familyName: 'User' },
    emails: [{ primary: true, value: 'test.user@example.com', type: 'work' }],
    displayName: 'T. User',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq',
    active: true,
  }
  const created = await send('POST', '/Users', given)
  const { id } = created.body
  const replaced = await send('PUT', `/Users/${id}`, {
    ...created.body,
    name: { ...created.body.name, givenName: 'Another' },
  })
  const replacedAgain = await send('PUT', `/Users/${id}`, {
    ...given,
    id,
    name: { givenName: 'Another', familyName: 'User' },
  })
  const deactivated = await send('PATCH', `/Users/${id}`, patch({ op: 'replace', value: { active: false } }))
  const reactivated = await send('PUT', `/Users/${id}`, {
    ...given,
    id,
    active: true,
    name: { givenName: 'Another', familyName: 'User' },
  })
  const group = await send('POST', '/Groups', {
    schemas: [GROUP],
    displayName: 'Test SCIMv2',
    members: [{ value: id, display: 'test.user@example.com' }],
  })
  const path = `/Groups/${group.body.id}`
  const renamed = await send(
    'PATCH',
    path,
    patch({ op: 'replace', value: { id: group.body.id, displayName: 'Test SCIMv2 renamed' } }),
  )
  const removed = await send('PATCH', path, patch({ op: 'remove', path: `members[value eq "${id}"]` }))
  const replacedMembers = await send(
    'PATCH',
    path,
    patch({ op: 'replace', path: 'members', value: [{ value: id, display: 'test' }] }),
  )

  assert.deepEqual([probe.status, exists.body.totalResults, created.status], [200, 0, 201])
  assert.equal(created.body.displayName, 'Test User')
  assert.deepEqual([replaced.status, replaced.body.displayName], [200, 'Another User'])
  assert.equal(replacedAgain.body.displayName, 'Another User')
  assert.deepEqual([deactivated.status, deactivated.body.active, reactivated.body.active], [200, false, true])
  assert.deepEqual([group.status, renamed.body.displayName], [201, 'Test SCIMv2 renamed'])
  assert.deepEqual([removed.body.members, replacedMembers.body.members.length], [[], 1])
  assert.equal(await isActive(chat, { id }), true)
  assert.deepEqual(
    await chat.app.services.db.selectFrom('users').select('passwordHash').where('id', '=', Number(id)).execute(),
    [{ passwordHash: null }],
  )
})
