import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { drawPicture } from '#testing/sample/gallery-content.ts'
import { upload } from '../files.ts'
import type { Person } from '../harness.ts'
import { sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { untilFocusIn } from './by-keyboard.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage, type Stage } from './stage.ts'

/** Sends a message to a new topic, and opens the topic. */
async function openMessage(stage: Stage, person: Person, content: string, look = {}): Promise<Page> {
  const { stream_id } = await person.succeed('GET /get_stream_id', { stream: 'design' })
  await sendToChannel(person, { name: 'design' }, content, 'kinds')
  const page = await stage.openAs(person, `/channels/${stream_id}?topic=kinds`, look)
  await page.locator('.timeline-rows[aria-busy="false"] .message-content').first().waitFor()
  return page
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))

test('a spoiler is closed until it is opened by mouse or keyboard', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await openMessage(stage, ada, '```spoiler The **end**\nThe butler did it.\n```')
  const secret = page.getByText('The butler did it.')
  await page.getByText('The end').waitFor()
  assert.equal(await secret.count(), 0)

  // The button covers the whole head.
  await page.getByRole('button', { name: 'Show spoiler' }).click({ trial: true })
  await page.getByText('The end').click({ force: true })
  await secret.waitFor()
  await becomes(() => page.getByRole('button', { name: 'Hide spoiler' }).getAttribute('aria-expanded'), 'true')
  await page.keyboard.press('Enter')
  await secret.waitFor({ state: 'detached' })
  assert.equal(await focused(page), 'Show spoiler')
  assert.deepEqual(await inspect(page, 'content-spoiler'), [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('long code is numbered and folded, and is copied whole and without numbers', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const code = Array.from({ length: 40 }, (_, at) => `step_${at + 1} = load(${at}) ${'# '.repeat(60)}x`).join('\n')
  const page = await openMessage(stage, ada, `\`\`\`python\n${code}\n\`\`\``, { width: 390 })
  const lines = page.locator('.code-line')
  await becomes(() => lines.count(), 15)

  await page.getByRole('button', { name: 'Copy code' }).click()
  await becomes(() => page.evaluate(() => navigator.clipboard.readText()), code)
  await page.getByRole('button', { name: 'Show all 40 lines' }).click()
  await becomes(() => lines.count(), 40)
  await becomes(() => page.locator('.codehilite code').innerText(), `${code}\n`)
  assert.equal(await page.locator('.codehilite code').evaluate((block) => getComputedStyle(block).fontSize), '13px')
  const scrolls = () => page.locator('.codehilite pre').evaluate((pre) => pre.scrollWidth > pre.clientWidth)
  assert.equal(await scrolls(), true)
  await page.getByRole('button', { name: 'Wrap lines' }).click()
  await becomes(scrolls, false)
  await page.getByRole('button', { name: 'Show fewer lines' }).click()
  await becomes(() => lines.count(), 15)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a wide table scrolls in its box by keyboard, and its words stay whole', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const cells = (text: string) => `|${` ${text} |`.repeat(9)}\n`
  const table = `${cells('Heading')}|${'---|'.repeat(9)}\n${cells('unbreakable_value')}`
  const page = await openMessage(stage, ada, table, { width: 390 })
  const box = page.getByRole('region', { name: 'Table' })

  const heights = await box.locator('td').evaluateAll((found) => found.map((cell) => cell.clientHeight))
  assert(Math.max(...heights) < 48, `${heights}`)
  await box.focus()
  await page.keyboard.press('ArrowRight')
  await becomes(() => box.evaluate((element) => element.scrollLeft > 0), true)
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true)
  assert.deepEqual(await inspect(page, 'content-table'), [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('pictures open in a viewer with keys and buttons, and the focus returns', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const bytes = drawPicture(720, 480, [
    [188, 214, 192],
    [148, 192, 156],
    [84, 172, 190],
  ])
  const [one, two] = [
    await upload(stage.chat, ada, { name: 'one.png', bytes }),
    await upload(stage.chat, ada, { name: 'two.png', bytes }),
  ]
  // The viewer shows the pictures of all messages of the view.
  await sendToChannel(ada, { name: 'design' }, `Look:\n[one.png](${one})`, 'kinds')
  const page = await openMessage(stage, ada, `[two.png](${two})`)
  const pictures = page.locator('.message-content a.picture')
  await becomes(() => pictures.count(), 2)
  await becomes(async () => {
    const { width = 0, height = 0 } = (await pictures.first().boundingBox()) ?? {}
    return Math.abs(width / height - 1.5) < 0.05
  }, true)

  await pictures.first().click()
  const viewer = page.getByRole('dialog', { name: 'Pictures' })
  await viewer.getByText('1 of 2').waitFor()
  await page.keyboard.press('ArrowRight')
  await viewer.getByText('2 of 2').waitFor()
  await becomes(() => viewer.getByRole('link', { name: 'Open original' }).getAttribute('href'), `${stage.url}${two}`)
  await viewer.getByRole('button', { name: 'Previous picture' }).click()
  await viewer.getByText('1 of 2').waitFor()
  for (let at = 0; at < 12; at++) await page.keyboard.press('Tab')
  assert.equal(await page.evaluate(() => document.activeElement?.closest('.pswp') !== null), true)
  assert.deepEqual(await inspect(page, 'content-viewer'), [])
  await page.keyboard.press('Escape')
  await viewer.waitFor({ state: 'detached' })
  await becomes(() => page.evaluate(() => document.activeElement?.getAttribute('title')), 'one.png')
  await page.keyboard.press('Enter')
  await viewer.getByText('1 of 2').waitFor()
  await page.keyboard.press('v')
  await viewer.waitFor({ state: 'detached' })
  await becomes(() => page.locator('#root[inert]').count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a picture that fails becomes a link, and pictures of other sites come from this server', async () => {
  const png = drawPicture(40, 40, [
    [0, 0, 0],
    [9, 9, 9],
    [8, 8, 8],
  ])
  const stage = await openStage({
    fetchMedia: async (url) => (url === 'https://pictures.example.com/cat.png' ? png : null),
  })
  const { ada } = await fillExample(stage.chat)
  const address = await upload(stage.chat, ada, { name: 'lost.png', bytes: png })
  const page = await openMessage(stage, ada, 'first')
  const hosts = new Set<string>()
  page.on('request', (request) => hosts.add(new URL(request.url()).origin))
  await page.route('**/thumbnail/**', (route) => route.fulfill({ status: 404 }))

  const urls = ['cat.png', 'gone.png', 'gone.mp4'].map((name) => `https://pictures.example.com/${name}`)
  const content = `[lost.png](${address})\n${urls.join('\n')}\nhttps://youtu.be/hx1mjT73xYE`
  await sendToChannel(ada, { name: 'design' }, content, 'kinds')
  await page.getByText('Couldn’t load the picture').waitFor()
  assert.equal(await page.getByRole('link', { name: 'lost.png' }).getAttribute('href'), address)
  const cat = page.getByRole('img', { name: 'cat.png' })
  await becomes(() => cat.evaluate((image) => (image as HTMLImageElement).naturalWidth), 40)
  for (const name of ['gone.png', 'gone.mp4']) {
    const card = page.locator('.file-card', { hasText: name })
    await card.getByText('pictures.example.com').waitFor()
    const link = card.getByRole('link', { name })
    assert.equal(await link.getAttribute('href'), `https://pictures.example.com/${name}`)
  }
  const video = page.locator('.file-card', { hasText: 'youtu.be' }).getByRole('link')
  assert.equal(await video.getAttribute('href'), 'https://youtu.be/hx1mjT73xYE')
  assert.deepEqual([...hosts], [new URL(stage.url).origin])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('mentions open profiles and groups, times have the format of the reader, and links to messages stay in the client', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await ada.succeed('POST /user_groups/create', { name: 'makers', description: 'Who makes it', members: [ben.id] })
  await ada.succeed('PATCH /settings', { twenty_four_hour_time: true })
  const first = await sendToChannel(ben, { name: 'design' }, 'the original', 'icons')
  const content = `@**Ada Lovelace** @*makers* at <time:2031-05-06T17:08:00Z>, see #**design>icons@${first}**`
  const page = await openMessage(stage, ada, content)

  await page.locator('.message-content time', { hasText: 'Tue, 6 May 2031, 17:08' }).waitFor()
  assert.equal(await page.locator('.mention[data-own]').innerText(), '@Ada Lovelace')
  await page.getByRole('button', { name: '@makers' }).click()
  const group = page.getByRole('dialog', { name: 'makers' })
  await group.getByText('Ben Bitdiddle').waitFor()
  assert.deepEqual(await inspect(page, 'content-group'), [])
  await page.keyboard.press('Escape')
  await group.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: '@Ada Lovelace' }).click()
  await page.getByRole('dialog', { name: 'Ada Lovelace' }).waitFor()
  await untilFocusIn(page, '[role="dialog"]')
  await page.keyboard.press('Escape')

  await page.evaluate(() => Object.assign(window, { isSamePage: true }))
  await page.getByRole('link', { name: '#design › icons' }).click()
  await page.getByText('the original').first().waitFor()
  assert.equal(await page.evaluate(() => 'isSamePage' in window), true)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a long message is cut off until the rest is requested', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await openMessage(stage, ada, Array.from({ length: 120 }, (_, at) => `${at + 1}. line`).join('\n'))
  const height = () => page.locator('.fold').evaluate((fold) => fold.clientHeight)

  await page.getByRole('button', { name: 'Show more' }).waitFor()
  assert.equal(await height(), 480)
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByRole('button', { name: 'Show less' }).waitFor()
  assert((await height()) > 2000)

  // A message that is only a little longer is shown whole.
  const little = Array.from({ length: 25 }, (_, at) => `${at + 1}. item`).join('\n')
  await sendToChannel(ada, { name: 'design' }, little, 'kinds')
  const second = page.locator('.fold').nth(1)
  await becomes(() => second.evaluate((fold) => fold.clientHeight === fold.scrollHeight), true)
  assert((await second.evaluate((fold) => fold.clientHeight)) > 480)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
