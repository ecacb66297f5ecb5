import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SERVER_REQUESTER } from '#lib/fair-queue.ts'
import { type ImageFacts, inspectImage } from '#lib/images.ts'
import { fetchPage, storedFiles, upload } from '../../../test/files.ts'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'
import { fetchMessage, sendDirect, sendToChannel } from '../../../test/messages.ts'
import { movingPicture, noResizing, picture } from '../../../test/pictures.ts'

const skip = { skip: noResizing }

const thumbnailOf = (url: string, format = '840x560.webp') =>
  `${url.replace('/user_uploads/', '/user_uploads/thumbnail/')}/${format}`

async function fetchImage(chat: Chat, url: string, person: Person): Promise<ImageFacts | null> {
  const { status, bytes } = await fetchPage(chat, url, person)
  assert.equal(status, 200)
  return inspectImage(bytes, SERVER_REQUESTER)
}

test('an image is previewed in a message that links to it, and has:image finds the message', skip, async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const url = await upload(chat, ben, { name: 'sea.jpg', bytes: await picture(2000, 500, 'jpeg') })

  const id = await sendDirect(ben, [cleo], `[the sea](${url})`)

  assert.equal(
    (await fetchMessage(cleo, id)).content,
    `<p><a href="${url}">the sea</a></p>\n<div class="message_inline_image"><a href="${url}" title="the sea">` +
      '<img data-original-content-type="image/jpeg" data-original-dimensions="2000x500" ' +
      `src="${thumbnailOf(url)}"></a></div>`,
  )
  assert.deepEqual(await fetchImage(chat, thumbnailOf(url), cleo), {
    contentType: 'image/webp',
    width: 840,
    height: 210,
    isAnimated: false,
  })
  const narrow = [{ operator: 'has', operand: 'image' }]
  const found = await cleo.succeed('GET /messages', { anchor: 'newest', num_before: 5, num_after: 0, narrow })
  assert.deepEqual(
    found['messages'].map((message: { id: number }) => message.id),
    [id],
  )
})

test('an animated image has an animated and a still preview', skip, async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const url = await upload(chat, ben, { name: 'a.gif', bytes: movingPicture })

  const id = await sendDirect(ben, [ben], `[a](${url})`)

  assert.match(
    (await fetchMessage(ben, id)).content,
    /<img data-animated="true" data-original-content-type="image\/gif" data-original-dimensions="20x10" src="[^"]*\/840x560-anim\.webp">/,
  )
  assert.equal((await fetchImage(chat, thumbnailOf(url, '840x560-anim.webp'), ben))?.isAnimated, true)
  assert.equal((await fetchImage(chat, thumbnailOf(url), ben))?.isAnimated, false)
})

test('register returns the thumbnail formats', skip, async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')

  const state = await ben.succeed('POST /register', { fetch_event_types: ['realm'] })

  assert.deepEqual(
    state['server_thumbnail_formats'].map(({ name }: { name: string }) => name),
    ['840x560-anim.webp', '840x560.webp'],
  )
})

test('only users who may read an image may read its thumbnail', skip, async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const url = await upload(chat, ben, { name: 'a.png', bytes: await picture(20, 20) })
  const statusFor = async (person: Person | null, path = thumbnailOf(url)) =>
    (await fetchPage(chat, path, person)).status

  assert.deepEqual([await statusFor(ben), await statusFor(cleo), await statusFor(null)], [200, 404, 401])
  assert.equal(await statusFor(ben, thumbnailOf(url, '840x560-anim.webp')), 404)
  assert.equal(await statusFor(ben, thumbnailOf(url, '1x1.webp')), 404)
})

test('invalid images and images with too many pixels are only links', skip, async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const uploads = [
    { name: 'a.png', bytes: 'no picture' },
    { name: 'a.png', bytes: await picture(10, 10, 'jpeg') },
    { name: 'a.txt', bytes: await picture(10, 10) },
    { name: 'a.svg', bytes: '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>' },
    { name: 'bomb.png', bytes: await picture(10_000, 10_000) },
  ]

  for (const file of uploads) {
    const url = await upload(chat, ben, file)
    const id = await sendDirect(ben, [ben], `[a](${url})`)
    assert.equal((await fetchMessage(ben, id)).content, `<p><a href="${url}">a</a></p>`)
    assert.equal((await fetchPage(chat, thumbnailOf(url), ben)).status, 404)
  }
})

test('a truncated image is served instead of its thumbnail', skip, async () => {
  const chat = await startChat({ settings: { LOG_LEVEL: 'silent' } })
  const ben = await chat.user('ben')
  const whole = await picture(400, 400)
  const half = whole.subarray(0, whole.length / 2)
  const url = await upload(chat, ben, { name: 'a.png', bytes: half })

  const response = await fetchPage(chat, thumbnailOf(url), ben)

  assert.deepEqual([response.status, response.headers['content-type']], [200, 'image/png'])
  assert.deepEqual(response.bytes, half)
})

test('an organization can disable previews', skip, async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  await chat.change({ inline_image_preview: false })
  const url = await upload(chat, ben, { name: 'a.png', bytes: await picture(20, 20) })

  const id = await sendDirect(ben, [ben], `[a](${url})`)

  assert.doesNotMatch((await fetchMessage(ben, id)).content, /message_inline_image/)
})

test('an image is not previewed for an author who may not read it', skip, async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const eve = await chat.user('eve')
  const design = await chat.channel('design', [ben, eve])
  const url = await upload(chat, ben, { name: 'a.png', bytes: await picture(20, 20) })

  const id = await sendToChannel(eve, design, `[a](${url})`)

  assert.equal((await fetchMessage(eve, id)).content, `<p><a href="${url}">a</a></p>`)
})

test('deleting an image deletes its thumbnails', skip, async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const url = await upload(chat, ben, { name: 'a.png', bytes: await picture(20, 20) })
  await fetchPage(chat, thumbnailOf(url), ben)
  const before = await storedFiles(chat, 'thumbnails')
  const { attachments } = await ben.succeed('GET /attachments')

  await ben.succeed(`DELETE /attachments/${attachments[0].id}`)

  assert.equal(before.length, 1)
  assert.deepEqual(await storedFiles(chat, 'thumbnails'), [])
  assert.equal((await fetchPage(chat, thumbnailOf(url), ben)).status, 404)
})

test('without image processing images are links, and no formats are returned', async () => {
  const chat = await startChat({ settings: { IMAGE_RESIZING: false } })
  const ben = await chat.user('ben')
  const url = await upload(chat, ben, { name: 'a.gif', bytes: movingPicture })

  const id = await sendDirect(ben, [ben], `[a](${url})`)
  const state = await ben.succeed('POST /register', { fetch_event_types: ['realm'] })

  assert.equal((await fetchMessage(ben, id)).content, `<p><a href="${url}">a</a></p>`)
  assert.deepEqual(state['server_thumbnail_formats'], [])
  assert.equal((await fetchPage(chat, thumbnailOf(url), ben)).status, 404)
})
