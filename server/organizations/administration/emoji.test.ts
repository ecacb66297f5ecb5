import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SERVER_REQUESTER } from '#lib/fair-queue.ts'
import { inspectImage } from '#lib/images.ts'
import type { EmojiJson } from '#realms/emoji.ts'
import { BotType, Role } from '#rules/role.ts'
import { type Body, type Chat, type Person, startChat } from '../../../test/harness.ts'
import { movingPicture, noResizing, picture } from '../../../test/pictures.ts'
import { emojiImagePages } from '../pictures.ts'

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(40, 7)])
const GIF = Buffer.from('GIF89a and so on')
const JPEG = Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(40, 7)])
const WEBP = Buffer.from('RIFF\0\0\0\0WEBPVP8 ')
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')

/** Disables resizing, because the pictures in these tests consist of only the first bytes of an image. */
const unresized = { settings: { IMAGE_RESIZING: false } }

/** Uploads the files, each in its own field. */
async function upload(chat: Chat, person: Person, name: string, ...files: Buffer[]): Promise<Body> {
  const parts = files.flatMap((bytes, index) => [
    Buffer.from(`--edge\r\nContent-Disposition: form-data; name="f${index}"; filename="evil.html"\r\n\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ])
  const response = await chat.request({
    method: 'POST',
    path: `/api/v1/realm/emoji/${encodeURIComponent(name)}`,
    headers: {
      host: 'parley.test',
      authorization: `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString('base64')}`,
      'content-type': 'multipart/form-data; boundary=edge',
    },
    body: Buffer.concat([...parts, Buffer.from('--edge--\r\n')]),
  })
  return { status: response.status, ...JSON.parse(response.body) }
}

const listed = async (person: Person) =>
  Object.values((await person.succeed('GET /realm/emoji'))['emoji']) as EmojiJson[]

/** Requests a picture by its path, without a login. */
async function fetchImage(chat: Chat, path: string, method = 'GET') {
  const pages = emojiImagePages(chat.app.services.files)
  return pages({ method, path } as Parameters<typeof pages>[0])
}

test('an uploaded picture becomes an emoji and is emitted to everyone', async () => {
  const chat = await startChat(unresized)
  const ben = await chat.user('ben')
  const gus = await chat.user('gus', { role: Role.guest })

  const response = await upload(chat, ben, 'happy gizmo', PNG)

  const [emoji] = await listed(gus)
  assert(emoji)
  assert.deepEqual(response, { status: 200, result: 'success', msg: '' })
  assert.match(emoji.source_url, new RegExp(`^/user_avatars/${chat.realm.id}/emoji/images/[0-9a-f]{40}\\.png$`))
  assert.partialDeepStrictEqual(emoji, {
    name: 'happy_gizmo',
    still_url: null,
    deactivated: false,
    author_id: ben.id,
  })
  assert.deepEqual(await chat.eventsOf(gus), [
    { type: 'realm_emoji', op: 'update', realm_emoji: { [emoji.id]: emoji } },
  ])
})

test('pictures are served with their real type, whatever their file names', async () => {
  const chat = await startChat(unresized)
  const ben = await chat.user('ben')
  const kinds: [string, Buffer, string][] = [
    ['pic-1', PNG, 'image/png'],
    ['pic-2', GIF, 'image/gif'],
    ['pic-3', JPEG, 'image/jpeg'],
    ['pic-4', WEBP, 'image/webp'],
  ]
  for (const [name, bytes] of kinds) await upload(chat, ben, name, bytes)

  const emoji = await listed(ben)

  for (const [index, [name, bytes, type]] of kinds.entries()) {
    const response = await fetchImage(chat, emoji[index]!.source_url)
    assert.equal(emoji[index]!.name, name)
    assert.deepEqual(response?.body, bytes)
    assert.equal(response?.headers['content-type'], type)
  }
})

test('the response for a missing picture is 404, and other paths are not handled', async () => {
  const chat = await startChat(unresized)
  const file = `${'0'.repeat(40)}.png`

  const missing = await fetchImage(chat, `/user_avatars/1/emoji/images/${file}`)

  assert.equal(missing?.status, 404)
  assert.equal(await fetchImage(chat, `/user_avatars/1/${file}`), null)
  assert.equal(await fetchImage(chat, '/user_avatars/1/emoji/images/..%2f..%2fx.png'), null)
  assert.equal(await fetchImage(chat, `/user_avatars/1/emoji/images/${file}`, 'POST'), null)
})

test('invalid images, large files and several files are refused', async () => {
  const chat = await startChat(unresized)
  const ben = await chat.user('ben')
  const large = Buffer.concat([PNG, Buffer.alloc(256 * 1024)])

  const svg = await upload(chat, ben, 'sketch', SVG)
  const empty = await upload(chat, ben, 'empty', Buffer.alloc(0))
  const tooLarge = await upload(chat, ben, 'large', large)
  const none = await upload(chat, ben, 'absent')
  const two = await upload(chat, ben, 'twofold', PNG, PNG)

  assert.equal(svg.msg, 'Invalid image format')
  assert.equal(empty.msg, 'Invalid image format')
  assert.equal(tooLarge.msg, 'Uploaded file is larger than the allowed limit of 256 KiB')
  assert.equal(none.msg, 'You must upload exactly one file.')
  assert.equal(two.msg, 'You must upload exactly one file.')
  assert.deepEqual(await listed(ben), [])
})

test('invalid and taken emoji names are refused', async () => {
  const chat = await startChat(unresized)
  const ben = await chat.user('ben')
  const ann = await chat.user('ann', { role: Role.administrator })
  await upload(chat, ben, 'gizmo', PNG)

  const spaces = await upload(chat, ben, ' ', PNG)
  const upperCase = await upload(chat, ben, 'Gizmo', PNG)
  const unfinished = await upload(chat, ben, 'gizmo-', PNG)
  const long = await upload(chat, ben, 'x'.repeat(101), PNG)
  const taken = await upload(chat, ann, 'gizmo', PNG)
  const builtIn = await upload(chat, ben, 'smile', PNG)
  const extra = await upload(chat, ben, 'parley', PNG)
  const overridden = await upload(chat, ann, 'smile', PNG)

  assert.equal(spaces.msg, 'Emoji name is missing')
  assert.match(upperCase.msg, /^Emoji names must contain only lowercase English letters/)
  assert.equal(unfinished.msg, 'Emoji names must end with either a letter or digit.')
  assert.equal(long.msg, 'Emoji name is too long (limit: 100 characters)')
  assert.equal(taken.msg, 'A custom emoji with this name already exists.')
  assert.equal(builtIn.msg, 'Only administrators can override default emoji.')
  assert.equal(extra.msg, 'Only administrators can override default emoji.')
  assert.equal(overridden.result, 'success')
})

test('a setting decides who can add emoji; guests and bots never can', async () => {
  const chat = await startChat(unresized)
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const gus = await chat.user('gus', { role: Role.guest })
  const bot = await chat.user('robo', { botType: BotType.generic, owner: ben })
  await chat.change({ can_add_custom_emoji_group: { direct_members: [ben.id, gus.id, bot.id], direct_subgroups: [] } })

  const byBen = await upload(chat, ben, 'gizmo', PNG)
  const byCleo = await upload(chat, cleo, 'gadget', PNG)
  const byGuest = await upload(chat, gus, 'gadget', PNG)
  const byBot = await upload(chat, bot, 'gadget', PNG)
  const deactivatedByBot = await bot.call('DELETE /realm/emoji/gizmo')

  assert.equal(byBen.result, 'success')
  assert.equal(byCleo.msg, 'Insufficient permission')
  assert.equal(byGuest.msg, 'Not allowed for guest users')
  assert.equal(byBot.msg, 'This endpoint does not accept bot requests.')
  assert.equal(deactivatedByBot.msg, 'This endpoint does not accept bot requests.')
})

test('an emoji is deactivated by its author or an administrator; its picture is kept and its name is free again', async () => {
  const chat = await startChat(unresized)
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const ann = await chat.user('ann', { role: Role.administrator })
  await upload(chat, ben, 'gizmo', PNG)

  const byOther = await cleo.call('DELETE /realm/emoji/gizmo')
  await ben.succeed('DELETE /realm/emoji/gizmo')
  const again = await ben.call('DELETE /realm/emoji/gizmo')
  await upload(chat, cleo, 'gizmo', GIF)
  await ann.succeed('DELETE /realm/emoji/gizmo')

  assert.equal(byOther.msg, 'Must be an organization administrator or emoji author.')
  assert.deepEqual([again.status, again.code, again.msg], [404, 'BAD_REQUEST', "Emoji 'gizmo' does not exist"])
  const [first, second] = await listed(ben)
  assert(first && second)
  assert.deepEqual([first.deactivated, second.deactivated], [true, true])
  assert.equal((await fetchImage(chat, first.source_url))?.status, 200)
})

test('pictures are resized to emoji size, and animated ones get a still version', {
  skip: noResizing,
}, async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')

  await upload(chat, ben, 'sea', await picture(300, 200, 'jpeg'))
  await upload(chat, ben, 'dance', movingPicture)
  const [sea, dance] = await listed(ben)

  assert(sea && dance)
  const shapeOf = async (url: string | null) => {
    const image = await inspectImage((await fetchImage(chat, url ?? ''))?.body as Buffer, SERVER_REQUESTER)
    return [image?.contentType, image?.width, image?.height, image?.isAnimated]
  }
  assert.equal(sea.still_url, null)
  assert.deepEqual(await shapeOf(sea.source_url), ['image/png', 64, 64, false])
  assert.deepEqual(await shapeOf(dance.source_url), ['image/gif', 64, 64, true])
  assert.deepEqual(await shapeOf(dance.still_url), ['image/png', 64, 64, false])
  const file = dance.source_url.split('/').at(-1)
  assert.equal(dance.still_url, `/user_avatars/${chat.realm.id}/emoji/images/still/${file?.replace('.gif', '.png')}`)
})

test('damaged images are refused if images are resized', { skip: noResizing }, async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')

  const damaged = await upload(chat, ben, 'gizmo', PNG)
  const tooLarge = await upload(chat, ben, 'gizmo', Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]))

  assert.equal(damaged.msg, 'Invalid image format')
  assert.equal(tooLarge.msg, 'Uploaded file is larger than the allowed limit of 5 MiB')
})
