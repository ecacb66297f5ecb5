import assert from 'node:assert/strict'
import { START } from '../harness.ts'
import { sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

test("right-to-left names and messages don't affect the text around them", async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const omar = await stage.chat.user('omar', { fullName: 'عمر بن الخطاب' })
  await omar.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'design' }] })
  await sendToChannel(omar, { name: 'design' }, 'مرحبا بالعالم!', 'colours')
  const page = await stage.openAs(ben, '/login/')
  await page.clock.setFixedTime((START + 540) * 1000)
  await page.goto('/channels/1')
  const message = page.getByRole('article').filter({ hasText: 'عمر' })

  const layout = () =>
    message.evaluate((row) => {
      const boxOf = (selector: string) => row.querySelector(selector)!.getBoundingClientRect()
      const text = document.createRange()
      text.selectNodeContents(row.querySelector('.message-content p')!)
      return {
        isTimeBehindName: boxOf('time').left >= boxOf('.message-sender').right,
        isTextAtRightEdge:
          Math.round(text.getBoundingClientRect().right) === Math.round(boxOf('.message-content').right),
      }
    })

  await becomes(() => message.locator('time').getAttribute('datetime'), new Date(START * 1000).toISOString())
  await becomes(layout, { isTimeBehindName: true, isTextAtRightEdge: true })
  await stage.close()
})

test('times of messages follow the setting for 24 hours', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  await sendToChannel(ada, { name: 'design' }, 'Tea is ready', 'colours')
  const time = page.getByRole('article').filter({ hasText: 'Tea is ready' }).locator('time')
  await becomes(async () => /^\d+:\d\d [ap]m$/i.test((await time.textContent()) ?? ''), true)

  await ben.succeed('PATCH /settings', { twenty_four_hour_time: true })

  await becomes(async () => /^\d\d:\d\d$/.test((await time.textContent()) ?? ''), true)
  await stage.close()
})

test('at 200 % zoom, the last messages are visible together with the compose box', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  for (const count of [1, 2, 3, 4, 5, 6]) await sendToChannel(ada, { name: 'design' }, `idea ${count}`, 'icons')
  const page = await stage.openAs(ben, '/channels/1?topic=icons', { width: 720, height: 450 })
  await page.getByText('idea 6').waitFor()

  await page.evaluate(() => document.querySelector('.timeline')!.scrollTo(0, 1_000_000))

  const inSight = () =>
    page.evaluate(() => {
      const boxOf = (selector: string) => document.querySelector(selector)!.getBoundingClientRect()
      const [top, bottom] = [boxOf('.chat-header').bottom, boxOf('.composer').top]
      const rows = [...document.querySelectorAll('[data-message]')].map((row) => row.getBoundingClientRect())
      const isComposerWhole = boxOf('.composer').bottom <= innerHeight
      const whole = rows.filter((row) => row.top >= top && row.bottom <= bottom)
      return { isComposerWhole, areMessagesShown: whole.length >= 2 }
    })
  await becomes(inSight, { isComposerWhole: true, areMessagesShown: true })
  await stage.close()
})

test('an email fits a phone, whatever address it contains', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  await ada.succeed('POST /invites', { invitee_emails: 'dan@example.com', stream_ids: [] })
  await stage.chat.app.jobs.mail.settled()
  const page = await stage.openAs(ada, '/outbox', { width: 360 })

  await page.getByRole('button', { name: /^dan@example\.com Invitation (?!reminder)/ }).click()
  const mail = page.frameLocator('iframe').locator('html')
  await mail
    .getByText(/has invited you/)
    .first()
    .waitFor()

  const [content, frame] = await mail.evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])
  assert.equal(content, frame)
  await stage.close()
})

test('the window never scrolls, and the header is one line high, at any window width', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  await ada.succeed('PATCH /realm', { name: 'The Society of Analytical Engineers' })
  const page = await stage.openAs(ada, '/channels/1?topic=icons')
  await page.getByRole('heading', { level: 1, name: 'icons' }).waitFor()

  for (const width of [1280, 1100, 960, 900, 780, 721, 700, 320]) {
    await page.setViewportSize({ width, height: 700 })
    const layout = () =>
      page.evaluate(() => {
        const { scrollWidth, scrollHeight } = document.documentElement
        const { height } = document.querySelector('.chat-header')!.getBoundingClientRect()
        return { scrollWidth, scrollHeight, isHeaderOneLine: height > 0 && height <= 53 }
      })
    await becomes(layout, { scrollWidth: width, scrollHeight: 700, isHeaderOneLine: true })
  }
  await stage.close()
})

test('a long topic name leaves room for its menu next to it, on narrow pages as well', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const topic = 'x'.repeat(60)
  await sendToChannel(ada, { name: 'design' }, 'hello', topic)
  const page = await stage.openAs(ada, `/channels/1?topic=${topic}`)
  const title = page.getByRole('heading', { level: 1, name: topic })
  await title.waitFor()

  for (const width of [1280, 900, 375, 320]) {
    await page.setViewportSize({ width, height: 700 })
    const layout = async () => {
      const scrollWidth = await page.evaluate(() => document.documentElement.scrollWidth)
      const menu = await page.getByRole('button', { name: `Actions for topic ${topic}` }).boundingBox()
      const heading = await title.boundingBox()
      const isMenuBeside = menu !== null && heading !== null && menu.y < heading.y + 40
      return { width, fits: scrollWidth <= width, isMenuBeside }
    }
    await becomes(layout, { width, fits: true, isMenuBeside: true })
  }
  await stage.close()
})
