import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { viewerOf } from '#groups/viewer.ts'
import { findRealm } from '#realms/queries.ts'
import { Role } from '#rules/role.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { findAccountList } from './account-lists.ts'
import { FieldType, findProfiles } from './profile-fields.ts'
import { toUnknownUserJson, toUserJson, type UserJson } from './user-json.ts'
import { findRealmUsers, findUser, saveUser } from './user-queries.ts'
import { AddressVisibility } from './user-settings.ts'
import { isVisible } from './users.ts'

/** Enough accounts for prepared lists, in several chunks. */
const CROWD = 520

async function startCrowd() {
  const chat = await startChat()
  await chat.app.services.transaction(async (tx) => {
    for (let number = 0; number < CROWD; number += 1) {
      const [deliveryEmail, fullName] = [`person${number}@example.com`, `Person "${number}" {"user_id":7,ü`]
      const visibility = (number % 5) + 1
      await saveUser(tx, {
        ...{ realmId: chat.realm.id, deliveryEmail, fullName, role: Role.member },
        settings: { email_address_visibility: visibility as 1 },
      })
    }
  })
  const hidden = { email_address_visibility: AddressVisibility.nobody }
  const ben = await chat.user('ben', { settings: hidden })
  const viewers = {
    owner: await chat.user('ada', { role: Role.owner }),
    administrator: await chat.user('abe', { role: Role.administrator, settings: hidden }),
    moderator: await chat.user('mia', { role: Role.moderator }),
    member: ben,
    bot: await chat.user('helper', { botType: 1, owner: ben }),
    guest: await chat.user('gus', { role: Role.guest, settings: hidden }),
  }
  return { chat, viewers }
}

type Format = { client_gravatar: boolean; include_custom_profile_fields: boolean }

const formats: readonly Format[] = [true, false].flatMap((client_gravatar) =>
  [true, false].map((include_custom_profile_fields) => ({ client_gravatar, include_custom_profile_fields })),
)

/** Returns the accounts as JSON that is rendered for this viewer alone. */
async function rendered(chat: Chat, { id }: Person, format: Format): Promise<{ json: string; isActive: boolean }[]> {
  const { db, clock } = chat.app.services
  const realm = (await findRealm(db, chat.realm.id))!
  const viewer = { ...(await findUser(db, id))!, realm }
  const visibleIds = await viewerOf(db, viewer, clock.now()).visibleIds()
  const profiles = format.include_custom_profile_fields ? await findProfiles(db, realm.id) : undefined
  const options = { computesGravatar: format.client_gravatar, profiles }
  const url = chat.settings.EXTERNAL_URL
  return (await findRealmUsers(db, realm.id)).map((user) => {
    const seen: UserJson = isVisible(visibleIds, user)
      ? toUserJson(viewer, user, realm, url, options)
      : toUnknownUserJson(user, realm, url)
    return { json: JSON.stringify(seen), isActive: seen.is_active }
  })
}

/** Returns the body of a response as text, unpacked if it is compressed. */
async function fetchText(chat: Chat, person: Person, route: string, form: string, packing = 'gzip'): Promise<string> {
  const [method = '', path = ''] = route.split(' ')
  const authorization = `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString('base64')}`
  const inQuery = method === 'GET'
  const { status, bytes, headers } = await chat.request({
    method,
    path: `/api/v1${path}${inQuery ? `?${form}` : ''}`,
    headers: {
      host: 'parley.test',
      authorization,
      'accept-encoding': packing,
      'content-type': 'application/x-www-form-urlencoded',
    },
    ...(!inQuery && { body: form }),
  })
  assert.equal(status, 200)
  return (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString()
}

async function assertAllSeeTheirs(
  chat: Chat,
  viewers: Record<string, Person>,
  requested: readonly Format[],
): Promise<void> {
  for (const [name, viewer] of Object.entries(viewers))
    for (const format of requested) {
      const all = await rendered(chat, viewer, format)
      const list = (isActive?: boolean) =>
        `[${all
          .filter((one) => isActive === undefined || one.isActive === isActive)
          .map(({ json }) => json)
          .join(',')}]`

      const form = `client_gravatar=${format.client_gravatar}&include_custom_profile_fields=${format.include_custom_profile_fields}`
      for (const packing of ['gzip', 'identity'])
        assert(
          (await fetchText(chat, viewer, 'GET /users', form, packing)) ===
            `{"result":"success","msg":"","members":${list()}}\n`,
          `${name} gets other users (${form}, ${packing})`,
        )
      if (!format.include_custom_profile_fields) continue
      const state = await fetchText(
        chat,
        viewer,
        'POST /register',
        `fetch_event_types=["realm_user"]&client_gravatar=${format.client_gravatar}`,
      )
      const expected = `"realm_users":${list(true)},"realm_non_active_users":${list(false)},"cross_realm_bots":[`
      assert(state.includes(expected), `${name} registers with other users (${form})`)
    }
}

/** Returns the prepared list for the person; null if there is none. */
async function listOf(chat: Chat, { id }: Person) {
  const { db, clock } = chat.app.services
  const actor = { ...(await findUser(db, id))!, realm: (await findRealm(db, chat.realm.id))! }
  const form = { which: 'all', computesGravatar: true, includesProfiles: false } as const
  return findAccountList(db, actor, form, clock.now())
}

test('organizations with few accounts have no prepared lists', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')

  for (const _ of ['first', 'second']) await ada.succeed('GET /users')

  assert.equal(await listOf(chat, ada), null)
})

test('a change compresses only its part of a list, and lists that nobody fetches are dropped', async () => {
  const { chat, viewers } = await startCrowd()
  const { owner, member } = viewers
  await owner.succeed('GET /users')
  const before = await listOf(chat, owner)

  await member.succeed('PATCH /settings', { full_name: 'Benjamin' })
  const after = await listOf(chat, owner)
  await chat.clock.advance(601)
  await listOf(chat, member)
  const later = await listOf(chat, owner)

  const kept = (lists: readonly unknown[] | null) => before?.filter((part, at) => part === lists?.[at]).length
  assert.deepEqual([kept(after), kept(later)], [(before?.length ?? 0) - 1, 0])
})

test('everyone gets the same bytes as if the list were rendered for them alone, after each change', async () => {
  const { chat, viewers } = await startCrowd()
  const { owner, member, administrator } = viewers
  await owner.succeed('GET /users')
  await assertAllSeeTheirs(chat, viewers, formats)

  const [first] = await findRealmUsers(chat.app.services.db, chat.realm.id)
  const changes: readonly (() => Promise<unknown>)[] = [
    () => owner.succeed(`PATCH /users/${first?.id}`, { full_name: 'Ada {Lovelace}' }),
    () => owner.succeed(`PATCH /users/${(first?.id ?? 0) + 300}`, { role: Role.guest }),
    () => owner.succeed(`DELETE /users/${(first?.id ?? 0) + 1}`),
    () => owner.succeed(`DELETE /users/${(first?.id ?? 0) + 400}`),
    () => owner.succeed(`POST /users/${(first?.id ?? 0) + 1}/reactivate`),
    () => member.succeed('PATCH /settings', { email_address_visibility: AddressVisibility.moderators }),
    () => administrator.succeed('PATCH /settings', { email_address_visibility: AddressVisibility.everyone }),
    () => member.succeed('PATCH /settings', { timezone: 'Europe/Berlin' }),
    () => member.succeed('DELETE /users/me/avatar'),
    () => owner.succeed('POST /users', { email: 'new@example.com', full_name: 'New', password: 'Wd9-kfjwoe-32l' }),
    async () => {
      const field = { name: 'Phone', hint: '', field_type: FieldType.shortText }
      const { id } = await owner.succeed('POST /realm/profile_fields', field)
      await member.succeed('PATCH /users/me/profile_data', { data: [{ id, value: '**1** "2"' }] })
    },
    async () => {
      const { custom_fields } = await member.succeed('GET /realm/profile_fields')
      await member.succeed('PATCH /users/me/profile_data', { data: [{ id: custom_fields[0].id, value: '3' }] })
    },
    async () => {
      const { custom_fields } = await member.succeed('GET /realm/profile_fields')
      await owner.succeed(`DELETE /realm/profile_fields/${custom_fields[0].id}`)
    },
    () => owner.succeed(`PATCH /users/${viewers.moderator.id}`, { role: Role.member }),
    () => owner.succeed(`PATCH /users/${member.id}`, { role: Role.administrator }),
    () => chat.change({ can_access_all_users_group: 'role:members' }),
    () => chat.channel('design', [viewers.guest, member]),
    () => chat.change({ can_access_all_users_group: 'role:everyone' }),
  ]
  for (const [at, change] of changes.entries()) {
    await change()
    await assertAllSeeTheirs(chat, viewers, formats.slice(at % 4, (at % 4) + 1))
  }
  assert.notEqual(await listOf(chat, member), null)
})
