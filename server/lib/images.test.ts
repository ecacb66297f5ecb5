import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendFiles, type TestFile, upload } from '../../test/files.ts'
import { startChat } from '../../test/harness.ts'
import { fetchMessage, sendDirect } from '../../test/messages.ts'
import { announcedPicture, longPicture, noResizing, picture } from '../../test/pictures.ts'
import { toAvatar } from './images.ts'

const skip = { skip: noResizing }

/** Sends a message for each of the files, with a link to the file. Returns the HTML of the messages. */
async function preview(...files: TestFile[]): Promise<string[]> {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const contents: string[] = []
  for (const file of files) {
    const id = await sendDirect(ben, [ben], `[a](${await upload(chat, ben, file)})`)
    contents.push((await fetchMessage(ben, id)).content)
  }
  return contents
}

test('images of up to 25 megapixels have previews; with 16 bits per channel, up to half of that', skip, async () => {
  const sizes = [
    [5000, 5000],
    [5001, 5000],
    [1, 25_000_001],
    [3535, 3535, 16],
    [3536, 3536, 16],
  ] as const
  const files = sizes.map(([width, height, bits]) => ({ name: 'a.png', bytes: announcedPicture(width, height, bits) }))

  const contents = await preview(...files)

  assert.deepEqual(
    contents.map((content) => content.includes('message_inline_image')),
    [true, false, false, true, false],
  )
})

test('previews of images with up to 500 frames are animated, others show a still frame', skip, async () => {
  const [moving, still] = await preview(
    { name: 'a.gif', bytes: longPicture(500) },
    { name: 'b.gif', bytes: longPicture(501) },
  )

  assert.match(moving ?? '', /data-animated="true"/)
  assert.doesNotMatch(still ?? '', /data-animated/)
  assert.match(still ?? '', /data-original-dimensions="20x10"/)
})

test('a custom emoji with too many frames is shown as a still image', skip, async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')

  await sendFiles(chat, ben, '/realm/emoji/busy', { name: 'busy.gif', bytes: longPicture(20_000) })

  const { emoji } = await ben.succeed('GET /realm/emoji')
  const [busy] = Object.values<{ source_url: string; still_url: string | null }>(emoji)
  assert.match(busy?.source_url ?? '', /\.png$/)
  assert.equal(busy?.still_url, null)
})

test('a user who uploads too many images at once is told to try again later, and others are not', skip, async () => {
  const bytes = await picture(20, 20)
  const resizeFor = (key: number, count: number) =>
    Promise.allSettled(Array.from({ length: count }, () => toAvatar(bytes, { key, isLimited: true })))

  const [ofOne, [ofAnother]] = await Promise.all([resizeFor(1, 15), resizeFor(2, 1)])

  const refusals = ofOne.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
  assert.equal(refusals.length, 4)
  for (const { kind, extras } of refusals)
    assert.deepEqual([kind.status, kind.code, extras], [429, 'RATE_LIMIT_HIT', { 'retry-after': 5 }])
  assert.equal(ofAnother?.status, 'fulfilled')
})
