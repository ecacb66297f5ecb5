import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Chat, Person } from '../harness.ts'
import { sendDirect, sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { choose, rowOf } from './message-row.ts'
import { openStage, type Stage } from './stage.ts'

const box = (page: Page) => page.getByLabel(/^Message /)

/**
 * Opens a window in which the person is logged in, and in which typing ends with an action only. Otherwise a slow machine
 * might report it twice, or end it meanwhile.
 */
async function openTyping(stage: Stage, person: Person, at: string): Promise<Page> {
  const page = await stage.openWindow()
  await page.route('**/json/register', async (route) => {
    const response = await route.fetch()
    const json = {
      ...(await response.json()),
      server_typing_started_expiry_period_milliseconds: 600_000,
      server_typing_started_wait_period_milliseconds: 600_000,
      server_typing_stopped_wait_period_milliseconds: 600_000,
    }
    await route.fulfill({ response, json })
  })
  await stage.signIn(page, person)
  await page.goto(at)
  return page
}

/** Returns the typing events that a person received: the op and the conversation. */
async function typingEventsOf(chat: Chat, person: Person): Promise<string[]> {
  const events = (await chat.eventsOf(person)).filter(({ type }) => type === 'typing')
  return events.map(({ op, message_type, topic = '' }) => `${op} ${message_type} ${topic}`.trim())
}

test('typing indicators are shown in the conversation until the message is sent', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  const adas = await openTyping(stage, ada, `/dm/${ben.id}`)
  const bens = await openTyping(stage, ben, `/dm/${ada.id}`)
  await bens.getByText('No messages yet').waitFor()

  const before = await box(bens).boundingBox()
  await box(adas).pressSequentially('Shall we')
  await bens.getByText('Ada Lovelace is typing…').waitFor()
  assert.deepEqual(await box(bens).boundingBox(), before)
  assert.deepEqual(await inspect(bens, 'typing'), [])
  await box(adas).press('Control+Enter')
  await bens.locator('.message-content', { hasText: 'Shall we' }).waitFor()
  await becomes(() => bens.getByText(/is typing/).count(), 0)

  await adas.goto('/channels/1?topic=icons')
  await bens.goto('/channels/1?topic=icons')
  await bens.getByText('Round, please').waitFor()
  await box(adas).pressSequentially('Squ')
  await bens.getByText('Ada Lovelace is typing…').waitFor()
  const endOfMessages = () => bens.locator('.timeline').evaluate((list) => list.getBoundingClientRect().bottom)
  const line = (await bens.locator('.typing-line').boundingBox())!
  assert.ok(line.y >= (await endOfMessages()), 'the line covers no messages')
  await cleo.succeed('POST /typing', { type: 'channel', op: 'start', stream_id: 1, topic: 'icons' })
  await bens.getByText('Ada Lovelace and Cleo Hopper are typing…').waitFor()
  await sendToChannel(cleo, { name: 'design' }, 'Agreed.', 'icons')
  await bens.getByText('Ada Lovelace is typing…').waitFor()
  await box(adas).fill('')
  await bens.getByText(/typing…/).waitFor({ state: 'detached' })

  assert.deepEqual(await typingEventsOf(stage.chat, ben), [
    'start direct',
    'stop direct',
    'start stream icons',
    'start stream icons',
    'stop stream icons',
  ])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('others see that a message is being edited, until it is saved', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const [adas, bens] = [
    await openTyping(stage, ada, '/channels/1?topic=icons'),
    await openTyping(stage, ben, '/channels/1?topic=icons'),
  ]
  const row = rowOf(bens, 'in the folder')
  await row.waitFor()

  await choose(adas, 'in the folder', 'Edit message')
  const before = await row.boundingBox()
  await adas.getByRole('textbox', { name: 'Message', exact: true }).pressSequentially('!')
  await row.getByText('editing…').waitFor()
  assert.deepEqual(await row.boundingBox(), before)
  assert.deepEqual(await inspect(bens, 'typing-edit'), [])
  await adas.getByRole('button', { name: 'Save', exact: true }).click()

  await row.getByText('edited', { exact: true }).waitFor()
  const events = async () =>
    (await stage.chat.eventsOf(ben))
      .filter(({ type }) => type === 'typing_edit_message')
      .map(({ op, message_id }) => [op, message_id])
  await becomes(events, [
    ['start', 1],
    ['stop', 1],
  ])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the conversation list shows where users are typing', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  await sendDirect(ada, [ben], 'Hello')
  await sendDirect(cleo, [ben], 'Hello')
  const page = await openTyping(stage, ben, '/channels/1?topic=icons')
  const links = page.getByRole('navigation', { name: 'Conversations' })
  await links.getByRole('link', { name: /^Ada Lovelace/ }).waitFor()

  await ada.succeed('POST /typing', { type: 'direct', op: 'start', to: [ben.id] })
  await links.getByRole('link', { name: /^Ada Lovelace\s*typing…/ }).waitFor()
  assert.deepEqual(await inspect(page, 'typing-list'), [])
  await ada.succeed('POST /typing', { type: 'direct', op: 'stop', to: [ben.id] })
  await links.getByText('typing…').waitFor({ state: 'detached' })

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('typing indicators respect the settings of both sides, and leave out muted users', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  await ben.succeed(`POST /users/me/muted_users/${cleo.id}`)
  const page = await openTyping(stage, ben, '/settings/availability')
  for (const name of [
    'Let recipients see when I’m typing direct messages',
    'Let recipients see when I’m typing messages in channels',
  ]) {
    const saved = page.waitForResponse('**/json/settings')
    await page.getByText(name).click()
    await saved
  }

  await page.goto('/channels/1?topic=icons')
  await box(page).pressSequentially('Square')
  await cleo.succeed('POST /typing', { type: 'channel', op: 'start', stream_id: 1, topic: 'icons' })
  await ada.succeed('POST /typing', { type: 'channel', op: 'start', stream_id: 1, topic: 'icons' })
  await page.getByText('Ada Lovelace is typing…').waitFor()

  assert.deepEqual(await typingEventsOf(stage.chat, ada), ['start stream icons'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
