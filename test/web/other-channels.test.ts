import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { Role } from '#rules/role.ts'
import { leaveChannel, sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

const composer = (page: Page) => page.getByRole('form', { name: 'New message' })

test('a public channel is read without joining it, with its topics and links to messages', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const near = await sendToChannel(ada, { name: 'engines' }, 'Oil first', 'pistons')
  await leaveChannel(ben, { name: 'engines' })
  const page = await stage.openAs(ben, '/channels/2')

  await page.getByText('It is the cache').waitFor()
  await page.getByText('You’re not subscribed to #engines.').waitFor()
  assert.equal(await composer(page).count(), 0)
  assert.deepEqual(await inspect(page, 'channel-other'), [])
  await sendToChannel(ada, { name: 'engines' }, 'Sent meanwhile', 'pistons')
  await page.evaluate(() => dispatchEvent(new Event('focus')))
  await page.getByText('Sent meanwhile').waitFor()

  await page.getByRole('button', { name: 'All topics of #engines' }).click()
  await page.getByRole('link', { name: 'slow start' }).click()
  await page.getByRole('heading', { level: 1, name: 'slow start' }).waitFor()
  await page.getByText('It is the cache').waitFor()
  assert.equal(await page.getByText('Oil first').count(), 0)
  await page.goto(`/#narrow/channel/2-engines/topic/pistons/near/${near}`)
  await page.locator('.message[data-near]', { hasText: 'Oil first' }).waitFor()

  await page.getByRole('button', { name: 'Join engines' }).click()
  await composer(page).waitFor()
  await becomes(() => page.getByText('You’re not subscribed to #engines.').count(), 0)
  await sendToChannel(ada, { name: 'engines' }, 'Live again', 'pistons')
  await page.getByText('Live again').waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('guests and others without access cannot read a channel that they are not in', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const gus = await stage.chat.user('gus', { role: Role.guest, fullName: 'Gus Guest' })
  const page = await stage.openAs(gus, '/channels/2/topics')
  await page.getByRole('heading', { name: 'Channel unavailable' }).waitFor()

  const bens = await stage.openAs(ben, '/channels/3/topics')
  await bens.getByRole('heading', { name: 'Channel unavailable' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
