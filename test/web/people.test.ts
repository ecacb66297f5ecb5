import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { sendDirect, sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

const namesIn = (page: Page) =>
  page
    .getByRole('option')
    .evaluateAll((options) => options.map((option) => option.querySelector('.visually-hidden')?.textContent))

test('messages of a muted user are hidden until they are revealed or the user is unmuted', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  await sendDirect(cleo, [ada], 'nobody else')
  const page = await stage.openAs(ada, '/people')

  await page.getByRole('option', { name: /Cleo Hopper/ }).click()
  await page.getByRole('button', { name: 'Mute user', exact: true }).click()
  await page.getByText('You muted Cleo Hopper').waitFor()
  await page.getByRole('button', { name: 'Unmute user' }).waitFor()
  await page.keyboard.press('Escape')
  await page.goto('/channels/1?topic=icons')
  await page.getByText('This message is from someone you muted.').waitFor()
  const hidden = await page.getByText('border-radius').count()
  const conversations = await page.locator('.pane-link', { hasText: 'Cleo Hopper' }).count()
  await page.getByRole('button', { name: 'Show message' }).click()
  await page.getByText('border-radius').waitFor()
  const focused = await page.evaluate(() => document.activeElement?.getAttribute('data-message'))
  await page.reload()
  await page.getByText('This message is from someone you muted.').waitFor()
  await ada.succeed(`DELETE /users/me/muted_users/${cleo.id}`)

  await page.getByText('border-radius').waitFor()
  assert.deepEqual([hidden, conversations], [0, 0])
  assert.notEqual(focused, null)
  assert.deepEqual((await ben.succeed('POST /register', {}))['muted_users'], [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('messages of muted users are neither announced nor in Recent', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  await sendDirect(cleo, [ada], 'nobody else')
  await sendDirect(ben, [ada], 'somebody else')
  await ada.succeed(`POST /users/me/muted_users/${cleo.id}`)
  await ada.succeed('POST /user_topics', { stream_id: 1, topic: 'colours', visibility_policy: 1 })
  const page = await stage.openAs(ada, '/recent')
  await page.locator('.conversation-row', { hasText: 'Ben Bitdiddle' }).first().waitFor()

  const rows = await page.locator('.conversation-row', { hasText: 'Cleo Hopper' }).count()
  await sendDirect(cleo, [ada], 'again')
  await sendToChannel(cleo, { name: 'design' }, 'and again', 'icons')
  await sendToChannel(ben, { name: 'design' }, 'warmer still', 'colours')
  await sendDirect(ben, [ada], 'lunch?')
  const spoken = page.getByRole('status').filter({ hasText: 'new message' })
  await spoken.waitFor({ state: 'attached' })

  assert.equal(rows, 0)
  await becomes(() => spoken.textContent(), '1 new message in direct messages with Ben Bitdiddle')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('people are listed by presence, which has a label and is kept up to date', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  const dan = await stage.chat.user('dan', { fullName: 'Dan Hider' })
  await cleo.succeed('POST /users/me/presence', { status: 'active' })
  await dan.succeed('POST /users/me/presence', { status: 'active' })
  await dan.succeed('PATCH /settings', { presence_enabled: false })
  stage.chat.clock.advance(600)
  await cleo.succeed('POST /users/me/presence', { status: 'idle' })
  const page = await stage.openAs(ada, '/people')

  await page
    .getByRole('option')
    .nth(1)
    .and(page.getByRole('option', { name: 'Cleo Hopper, idle' }))
    .waitFor()
  assert.deepEqual(await namesIn(page), [
    'Ada Lovelace (you), active',
    'Cleo Hopper, idle for 10 minutes',
    'Ben Bitdiddle, offline',
    'Dan Hider, offline',
  ])
  await ben.succeed('POST /users/me/presence', { status: 'active' })
  await ben.succeed('POST /users/me/status', { status_text: 'deep in code' })

  await page.getByRole('option', { name: 'Ben Bitdiddle, active, deep in code' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the order of people is kept under the pointer, and updated afterwards', async () => {
  const stage = await openStage()
  const { ada, cleo } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/people')
  await page.getByRole('option', { name: 'Ada Lovelace (you), active' }).waitFor()
  await page.getByRole('option', { name: 'Ben Bitdiddle, offline' }).hover()

  await cleo.succeed('POST /users/me/presence', { status: 'active' })
  await page.getByRole('option', { name: 'Cleo Hopper, active' }).waitFor()
  await page.waitForTimeout(5500)

  const order = async () => (await namesIn(page)).map((name) => name?.split(/[ ,]/)[0])
  assert.deepEqual(await order(), ['Ada', 'Ben', 'Cleo'])
  await page.mouse.move(5, 5)
  await becomes(order, ['Ada', 'Cleo', 'Ben'])
  await stage.close()
})

test('a person is found by typing, and Enter opens the profile and returns to the list', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/people')

  await page.getByLabel('Filter people').fill('bit')
  await page.getByText('1 of 3 people').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')

  const card = page.getByRole('dialog', { name: 'Ben Bitdiddle' })
  await card.getByRole('link', { name: '#engines' }).waitFor()
  await becomes(() => card.getByRole('link', { name: '#board' }).count(), 0)
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'option')
  await page.keyboard.press('Enter')
  await card.getByRole('link', { name: 'Send direct message' }).click()
  await page.waitForURL('**/dm/*')
  await stage.close()
})

test('a user sets a status that others see, and clears it', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const [adas, bens] = [await stage.openAs(ada, '/people'), await stage.openAs(ben, '/people')]

  await adas.getByRole('option', { name: /^Ada Lovelace \(you\)/ }).click()
  await adas.getByRole('button', { name: 'In a meeting' }).click()
  await bens.getByRole('option', { name: 'Ada Lovelace, active, In a meeting' }).waitFor()
  await adas.getByRole('textbox', { name: 'Your status' }).fill('In a long meeting')
  await adas.keyboard.press('Enter')
  await bens.getByRole('option', { name: 'Ada Lovelace, active, In a long meeting' }).waitFor()
  await adas.getByRole('button', { name: 'Clear status' }).click()

  await bens.getByRole('option', { name: 'Ada Lovelace, active', exact: true }).waitFor()
  assert.deepEqual((await ada.succeed(`GET /users/${ada.id}/status`))['status'], {})
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a user who hides availability reports no activity, sees others, and sees how others see them', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await ada.succeed('PATCH /settings', { presence_enabled: false })
  await ben.succeed('POST /users/me/presence', { status: 'active' })
  const page = await stage.openAs(ada, '/login/')
  const reporting = page.waitForRequest('**/json/users/me/presence')
  await page.goto('/people')

  const sent = new URLSearchParams((await reporting).postData() ?? '')
  assert.deepEqual([sent.get('status'), sent.get('new_user_input')], ['idle', 'false'])
  await page.getByRole('option', { name: 'Ben Bitdiddle, active' }).waitFor()
  await page.getByRole('option', { name: 'Ada Lovelace (you), hidden from others' }).waitFor()
  await page.getByText('Your availability is hidden').waitFor()
  await stage.close()
})
