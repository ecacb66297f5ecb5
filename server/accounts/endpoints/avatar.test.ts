import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SERVER_REQUESTER } from '#lib/fair-queue.ts'
import { inspectImage } from '#lib/images.ts'
import { AddressVisibility } from '#people/user-settings.ts'
import { Role } from '#rules/role.ts'
import { type FileStore, openFileStore } from '#storage/files.ts'
import { fetchPage } from '../../../test/files.ts'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'
import { noResizing, picture } from '../../../test/pictures.ts'

const PNG = Buffer.from('\x89PNG\r\n\x1a\nthe rest', 'latin1')
const GIF = Buffer.from('GIF89a the rest', 'latin1')

type Upload = { name?: string; bytes: Buffer }

async function upload(chat: Chat, person: Person, ...files: Upload[]) {
  const boundary = 'a-boundary'
  const parts = files.flatMap(({ name = 'me.png', bytes }) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ])
  const response = await chat.request({
    method: 'POST',
    path: '/api/v1/users/me/avatar',
    headers: {
      host: 'parley.test',
      authorization: `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString('base64')}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
    body: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
  })
  return { status: response.status, ...JSON.parse(response.body) }
}

const fetchImage = (chat: Chat, path: string) => chat.request({ method: 'GET', path })

/** Disables resizing, because the pictures in these tests consist of only the first bytes of an image. */
const unresized = { IMAGE_RESIZING: false }

test('an uploaded avatar is shown to everyone, with a different URL each time', async () => {
  const chat = await startChat({ settings: unresized })
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')

  const first = await upload(chat, ben, { bytes: PNG })
  const second = await upload(chat, ben, { bytes: GIF, name: 'me.html' })

  const pattern = new RegExp(`^/user_avatars/${chat.realm.id}/[0-9a-f]{40}\\.png$`)
  assert.match(first.avatar_url, pattern)
  assert.match(second.avatar_url, pattern)
  assert.notEqual(first.avatar_url, second.avatar_url)
  const { user } = await cleo.succeed(`GET /users/${ben.id}`)
  assert.partialDeepStrictEqual(user, { avatar_url: second.avatar_url, avatar_version: 3 })
  const received = (await chat.eventsOf(cleo)).at(-1)
  assert.deepEqual(received?.['person'], {
    user_id: ben.id,
    avatar_source: 'U',
    avatar_url: second.avatar_url,
    avatar_url_medium: second.avatar_url.replace('.png', '-medium.png'),
    avatar_version: 3,
  })
})

test('avatars are served with their real type in both sizes, and replaced ones are deleted', async () => {
  const chat = await startChat({ settings: unresized })
  const ben = await chat.user('ben')
  const first = await upload(chat, ben, { bytes: PNG })
  const second = await upload(chat, ben, { bytes: GIF })

  const old = await fetchImage(chat, first.avatar_url)
  const small = await fetchImage(chat, second.avatar_url)
  const large = await fetchImage(chat, second.avatar_url.replace('.png', '-medium.png'))

  assert.equal(old.status, 404)
  for (const image of [small, large]) {
    assert.equal(image.status, 200)
    assert.equal(image.body, GIF.toString())
    assert.partialDeepStrictEqual(image.headers, {
      'content-type': 'image/gif',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
    })
  }
})

for (const [what, files, problem] of [
  [
    'a web page',
    [{ bytes: Buffer.from('<html><script>alert(1)</script>'), name: 'me.png' }],
    /^Could not decode image/,
  ],
  ['a vector graphic', [{ bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') }], /^Could not decode/],
  ['an empty file', [{ bytes: Buffer.alloc(0) }], /^Could not decode image/],
  ['two files', [{ bytes: PNG }, { bytes: PNG }], /^You must upload exactly one avatar\.$/],
  ['no file', [], /^You must upload exactly one avatar\.$/],
  ['more than 5 MiB', [{ bytes: Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]) }], /limit of 5 MiB$/],
] as const) {
  test(`${what} is refused as an avatar`, async () => {
    const chat = await startChat({ settings: unresized })
    const ben = await chat.user('ben')

    const response = await upload(chat, ben, ...files)

    assert.equal(response.status, 400)
    assert.match(response.msg, problem)
    assert.deepEqual(await chat.eventsOf(ben), [])
  })
}

test('an avatar of nearly 5 MiB is accepted', async () => {
  const chat = await startChat({ settings: unresized })
  const ben = await chat.user('ben')

  const response = await upload(chat, ben, { bytes: Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024 - PNG.length)]) })

  assert.equal(response.result, 'success')
})

test('removing the avatar shows the gravatar again', async () => {
  const chat = await startChat({ settings: unresized })
  const ben = await chat.user('ben')
  const { avatar_url: url } = await upload(chat, ben, { bytes: PNG })

  const removed = await ben.succeed('DELETE /users/me/avatar')
  const again = await ben.succeed('DELETE /users/me/avatar')

  assert.match(removed['avatar_url'], /^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?d=identicon&version=3$/)
  assert.equal(again['avatar_url'], removed['avatar_url'])
  assert.equal((await fetchImage(chat, url)).status, 404)
})

test('an organization can disable avatar changes', async () => {
  const chat = await startChat({ settings: unresized })
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  await chat.change({ avatar_changes_disabled: true })

  assert.equal((await upload(chat, ben, { bytes: PNG })).msg, 'Avatar changes are disabled in this organization.')
  assert.equal((await upload(chat, ada, { bytes: PNG })).result, 'success')
})

test('/avatar/{id} and /avatar/{email} redirect to the avatar if the account is visible', async () => {
  const chat = await startChat({ settings: unresized })
  await chat.change({ can_access_all_users_group: 'role:members' })
  const ben = await chat.user('ben', { settings: { email_address_visibility: AddressVisibility.nobody } })
  const gus = await chat.user('gus', { role: Role.guest })
  const { avatar_url: url } = await upload(chat, ben, { bytes: PNG })
  const find = (path: string, person: Person | null) =>
    chat.request({
      method: 'GET',
      path,
      headers: {
        host: 'parley.test',
        ...(person && { authorization: `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString('base64')}` }),
      },
    })

  const own = await find(`/avatar/${ben.id}`, ben)
  const large = await find(`/avatar/${ben.id}/medium`, ben)
  const outsider = await find(`/avatar/${ben.id}`, gus)
  const nobody = await find('/avatar/99999', ben)
  const anonymous = await find(`/avatar/${ben.id}`, null)
  const placeholder = encodeURIComponent(`user${ben.id}@parley.test`)
  const byEmail = await find(`/avatar/${placeholder}/medium`, ben)
  const byHidden = await find(`/avatar/${ben.email}`, ben)
  const hiddenByEmail = await find(`/avatar/${placeholder}`, gus)

  assert.equal(byEmail.headers['location'], url.replace('.png', '-medium.png'))
  assert.equal(byHidden.headers['location'], '/static/unknown-user-avatar.png')
  assert.equal(hiddenByEmail.headers['location'], '/static/unknown-user-avatar.png')
  assert.deepEqual([own.status, own.headers['location']], [302, url])
  assert.equal(large.headers['location'], url.replace('.png', '-medium.png'))
  assert.equal(outsider.headers['location'], '/static/unknown-user-avatar.png')
  assert.equal(nobody.headers['location'], '/static/unknown-user-avatar.png')
  assert.equal(anonymous.status, 401)
})

test('requests for avatars count towards the rate limit', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true, RATE_LIMITING_RULES: [[60, 1]] } })
  const ben = await chat.user('ben')

  const first = await fetchPage(chat, `/avatar/${ben.id}`, ben)
  const second = await fetchPage(chat, `/avatar/${ben.id}`, ben)

  assert.deepEqual([first.status, second.status], [302, 429])
  assert.equal(second.headers['retry-after'], '60')
})

test('an avatar that is not saved leaves no file behind', async () => {
  const whole = openFileStore(null)
  const saved: string[] = []
  const files: FileStore = {
    ...whole,
    async save(name, bytes) {
      saved.push(name)
      await whole.save(name, bytes)
    },
  }
  const chat = await startChat({ files, settings: { ...unresized, LOG_LEVEL: 'silent' } })
  const ben = await chat.user('ben')
  chat.app.services.transaction = () => Promise.reject(new Error('the disk is full'))

  const response = await upload(chat, ben, { bytes: PNG })

  assert.equal(response.status, 500)
  assert.ok(saved.length > 0)
  for (const name of saved) assert.equal(await files.read(name), null)
})

test('avatars are resized to 100 and 500 pixels', { skip: noResizing }, async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')

  const { avatar_url: url } = await upload(chat, ben, { bytes: await picture(300, 200, 'jpeg') })

  const sizeOf = async (path: string) => inspectImage((await fetchImage(chat, path)).bytes, SERVER_REQUESTER)
  const square = { contentType: 'image/png', isAnimated: false }
  assert.deepEqual(await sizeOf(url), { ...square, width: 100, height: 100 })
  assert.deepEqual(await sizeOf(url.replace('.png', '-medium.png')), { ...square, width: 500, height: 500 })
})

test('damaged images and images with too many pixels are refused', { skip: noResizing }, async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')

  const responses = [
    await upload(chat, ben, { bytes: PNG }),
    await upload(chat, ben, { bytes: await picture(10_000, 10_000) }),
  ]

  for (const { status, msg } of responses)
    assert.deepEqual([status, msg], [400, 'Could not decode image; did you upload an image file?'])
})
