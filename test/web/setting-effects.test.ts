import assert from 'node:assert/strict'
import { upload } from '../files.ts'
import { sendToChannel } from '../messages.ts'
import { movingPicture } from '../pictures.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { holdFeed } from './hold-feed.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

const design = { name: 'design' }

test('the time format applies to all times at once', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const time = page.locator('.message-head time').first()
  await becomes(async () => /[ap]m$/i.test((await time.textContent()) ?? ''), true)
  await becomes(async () => /[ap]m$/i.test((await time.getAttribute('title')) ?? ''), true)

  await ben.succeed('PATCH /settings', { twenty_four_hour_time: true })

  await becomes(async () => /^\d\d:\d\d$/.test((await time.textContent()) ?? ''), true)
  await becomes(async () => /[ap]m$/i.test((await time.getAttribute('title')) ?? ''), false)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('Escape leads to the home view, unless the user wants it to do nothing', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  await ben.succeed('PATCH /settings', { web_home_view: 'recent_topics', web_escape_navigates_to_home_view: false })
  const page = await stage.openAs(ben, '/mentions')
  await page.getByRole('heading', { name: 'Mentions', exact: true }).waitFor()

  await page.locator('main').focus()
  await page.keyboard.press('Escape')
  await page.keyboard.press('t')
  await page.waitForURL('**/recent')
  await ben.succeed('PATCH /settings', { web_escape_navigates_to_home_view: true })
  await page.goto('/mentions')
  await page.getByRole('heading', { name: 'Mentions', exact: true }).waitFor()
  await page.locator('main').focus()

  // The page may open with the settings that the browser has cached, until it gets the event of the change.
  await becomes(async () => {
    await page.keyboard.press('Escape')
    return new URL(page.url()).pathname
  }, '/recent')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the sidebar counts starred messages while the user wants it', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/inbox')
  const starred = page.locator('#conversations').getByRole('link', { name: /^Starred/ })
  const star = (op: string, messages: number[]) =>
    ben.succeed('POST /messages/flags', { messages, op, flag: 'starred' })
  const first = await sendToChannel(ben, design, 'one', 'icons')
  const second = await sendToChannel(ben, design, 'two', 'icons')
  await star('add', [first, second])
  await becomes(() => starred.textContent(), 'Starred2')

  await star('remove', [first])
  await becomes(() => starred.textContent(), 'Starred1')
  await ben.succeed(`PATCH /settings`, { starred_message_counts: false })
  await becomes(() => starred.textContent(), 'Starred')
  await ben.succeed(`PATCH /settings`, { starred_message_counts: true })
  await page.reload()
  await becomes(() => starred.textContent(), 'Starred1')
  await stage.close()
})

test('channels show unread counts as the user wants it, and mentions always', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await ben.succeed('POST /user_topics', { stream_id: 1, topic: 'icons', visibility_policy: 1 })
  const page = await stage.openAs(ben, '/drafts')
  const count = page
    .locator('#conversations')
    .getByRole('link', { name: /^design/ })
    .locator('.count-pill')
  const shown = async () => (await count.allTextContents()).join()
  await page.getByRole('heading', { name: 'Drafts', level: 1 }).waitFor()

  await ben.succeed('PATCH /settings', { web_stream_unreads_count_display_policy: 1 })
  await becomes(shown, '3')
  await ben.succeed('PATCH /settings', { web_stream_unreads_count_display_policy: 2 })
  await becomes(shown, '1')
  await ben.succeed('PATCH /settings', { web_stream_unreads_count_display_policy: 3 })
  await becomes(shown, '')
  const link = page.locator('#conversations').getByRole('link', { name: /^design.*1 unread/ })
  await link.locator('.count-dot').waitFor()
  assert.equal(await link.getAttribute('title'), '1 unread')
  await sendToChannel(ada, design, '@**Ben Bitdiddle**', 'colours')

  await becomes(shown, '@1')
  await ben.succeed('PATCH /settings', { web_stream_unreads_count_display_policy: 2 })
  await becomes(shown, '2,@1')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a channel in the sidebar opens what the user prefers: the latest topic, the latest unread one, or all messages', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await sendToChannel(ada, design, 'unread', 'logo')
  const own = { type: 'stream', to: 'design', topic: 'newest', content: 'read', read_by_sender: true }
  await ben.succeed('POST /messages', own)
  const page = await stage.openAs(ben, '/inbox')
  const open = async (choice: string) => {
    await page.goto('/settings/preferences')
    await page.getByRole('button', { name: `${choice} Channel links open` }).waitFor()
    await holdFeed(page)
    await page
      .locator('#conversations')
      .getByRole('link', { name: /^design.*unread/ })
      .click()
  }

  await open('The latest topic')
  await page.waitForURL('**/channels/1?topic=newest')
  await ben.succeed('PATCH /settings', { web_channel_default_view: 4 })
  await open('The latest unread topic')
  await page.waitForURL('**/channels/1?topic=logo')
  await ben.succeed('PATCH /settings', { web_channel_default_view: 2 })
  await open('All messages in the channel')
  await page.waitForURL('**/channels/1')

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('reactions show names while there are few, if the user wants it', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  const id = await sendToChannel(ada, design, 'a poll', 'icons')
  await cleo.succeed(`POST /messages/${id}/reactions`, { emoji_name: 'tada' })
  await ben.succeed(`POST /messages/${id}/reactions`, { emoji_name: 'tada' })
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const chip = page.locator('.reaction:not(.reaction-add)')

  await becomes(async () => (await chip.textContent())?.endsWith('you and Cleo Hopper'), true)
  await ben.succeed('PATCH /settings', { display_emoji_reaction_users: false })
  await becomes(async () => (await chip.textContent())?.endsWith('2'), true)

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('messages use the full width, and the people list shows less, if the user wants it', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons', { width: 1900 })
  const widthOf = () =>
    page
      .locator('.message-body')
      .first()
      .evaluate((body) => Math.round(body.getBoundingClientRect().width))
  await page.getByText('border-radius').waitFor()
  const before = await widthOf()

  await ben.succeed('PATCH /settings', { fluid_layout_width: true, user_list_style: 1 })
  await becomes(async () => (await widthOf()) > before + 200, true)
  await page.goto('/people')
  await page.getByText('Cleo Hopper').first().waitFor()

  await becomes(() => page.locator('.person-item .avatar').first().isVisible(), false)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a user whose computer is in another time zone is asked once to update the profile', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  await ben.succeed('PATCH /settings', { timezone: 'Pacific/Auckland' })
  const page = await stage.openAs(ben, '/inbox')
  const banner = page.getByRole('region', { name: 'Time zone' })

  await banner.getByText('Your profile says Pacific/Auckland').waitFor()
  await banner.getByRole('button', { name: 'Not now' }).click()
  await page.reload()
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  await becomes(() => banner.count(), 0)
  await page.evaluate(() => localStorage.clear())
  await page.reload()
  await banner.getByRole('button', { name: 'Update time zone' }).click()

  await page.getByText('Time zone saved').waitFor()
  await becomes(() => banner.count(), 0)
  const { timezone } = await ben.succeed('GET /users/me')
  assert.notEqual(timezone, 'Pacific/Auckland')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('animated pictures play when the pointer is over them, always or only in the viewer, as the user wants it', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const address = await upload(stage.chat, ben, { name: 'a.gif', bytes: movingPicture })
  await sendToChannel(ben, design, `[a](${address})`, 'icons')
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const picture = page.locator('.picture img')
  const plays = async () => (await picture.getAttribute('src'))?.endsWith('-anim.webp')
  await becomes(plays, false)

  await picture.hover()
  await becomes(plays, true)
  await page.mouse.move(0, 0)
  await becomes(plays, false)
  await ben.succeed('PATCH /settings', { web_animate_image_previews: 'always' })
  await becomes(plays, true)
  await ben.succeed('PATCH /settings', { web_animate_image_previews: 'never' })
  await becomes(plays, false)
  await picture.hover()
  await page.mouse.move(0, 0)

  await becomes(plays, false)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('emoji in messages, reactions and statuses are shown as their names while the user wants it', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const party = { emoji_name: 'tada', emoji_code: '1f389', reaction_type: 'unicode_emoji' }
  const id = await sendToChannel(ada, design, ':tada: done', 'icons')
  await sendToChannel(ada, design, ':tada:', 'icons')
  await ada.succeed(`POST /messages/${id}/reactions`, party)
  await ada.succeed('POST /users/me/status', { status_text: 'party', ...party })
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const message = page.locator(`[data-message="${id}"]`)
  const content = message.locator('.message-content')
  const chip = message.getByRole('button', { name: /^tada/ }).locator('span').first()
  await becomes(() => content.textContent(), '🎉 done')
  await becomes(() => chip.textContent(), '🎉')

  await ben.succeed('PATCH /settings', { emojiset: 'text' })

  await becomes(() => content.textContent(), ':tada: done')
  await becomes(() => chip.getAttribute('data-name'), 'tada')
  await becomes(() => page.locator('.message-emoji').count(), 0)
  await page.locator('.message-head .emoji-name').first().waitFor()
  assert.deepEqual(await inspect(page, 'emoji-as-names'), [])
  await page.goto('/settings/preferences')
  await page.getByRole('button', { name: /Emoji style/ }).click()
  await page.getByRole('option', { name: 'Same on all devices' }).click()
  await page.getByRole('button', { name: 'Undo: Emoji style' }).waitFor()
  await page.goto('/channels/1?topic=icons')
  await becomes(() => content.textContent(), '🎉 done')
  const firstFont = () =>
    content.locator('.emoji').evaluate((sign) => getComputedStyle(sign).fontFamily.split(',')[0]!.replaceAll('"', ''))
  await becomes(firstFont, 'Emoji')
  await becomes(() => page.evaluate(() => document.fonts.check('16px Emoji', '🎉')), true)
  await ben.succeed('PATCH /settings', { emojiset: 'google-blob' })
  await becomes(firstFont, 'Apple Color Emoji')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
