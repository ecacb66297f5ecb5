import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { choose } from './message-row.ts'
import { openStage } from './stage.ts'

const box = (page: Page) => page.getByLabel(/^Message/)

const VIDEO = /^Shall we\? \[Join video call\.\]\(https:\/\/meet\.jit\.si\/[a-z2-9]{20}\) $/

test('a button inserts a link to a new call, which people open from the message', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=colours')
  await page.getByText('warmer grey').waitFor()

  await box(page).fill('Shall we?')
  await page.getByRole('button', { name: 'Add video call' }).click()
  await becomes(async () => VIDEO.test(await box(page).inputValue()), true)
  await box(page).press('Control+Enter')
  const link = page.locator('[data-message]').getByRole('link', { name: 'Join video call.' })
  await link.waitFor()

  assert.match((await link.getAttribute('href')) ?? '', /^https:\/\/meet\.jit\.si\/[a-z2-9]{20}$/)
  assert.equal(await link.getAttribute('target'), '_blank')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('each call has its own room, and a voice call starts without cameras, even in an edited message', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await ada.succeed('PATCH /realm', { jitsi_server_url: JSON.stringify('https://calls.example.com/rooms/') })
  await sendToChannel(ben, { name: 'design' }, 'Soon', 'colours')
  const page = await stage.openAs(ben, '/channels/1?topic=colours')
  await page.getByText('Soon', { exact: true }).waitFor()
  await choose(page, 'Soon', 'Edit message')
  const form = page.getByRole('form', { name: 'Edit message' })
  const text = form.getByRole('textbox')

  await text.fill('')
  await form.getByRole('button', { name: 'Add voice call' }).click()
  await form.getByRole('button', { name: 'Add voice call' }).click()

  const address = String.raw`https:\/\/calls\.example\.com\/rooms\/([a-z2-9]{20})#config\.startWithVideoMuted=true`
  const both = new RegExp(String.raw`^\[Join voice call\.\]\(${address}\) \[Join voice call\.\]\(${address}\) $`)
  await becomes(async () => both.test(await text.inputValue()), true)
  const [, first, second] = both.exec(await text.inputValue()) ?? []
  assert.notEqual(first, second)
  await stage.close()
})

test('phones have calls in the menu of what can be added', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=colours', { width: 390 })
  await box(page).fill('')

  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Voice call' }).click()

  await becomes(async () => /^\[Join voice call\.\]/.test(await box(page).inputValue()), true)
  await stage.close()
})

test('an administrator chooses the server of calls, corrects a mistyped address, and turns calls off', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/organization/messages')
  const bens = await stage.openAs(ben, '/channels/1?topic=colours')
  await box(bens).click()
  await bens.getByRole('button', { name: 'Add video call' }).waitFor()
  const server = page.getByRole('textbox', { name: 'Jitsi server' })
  await page.getByText('Leave this empty to use https://meet.jit.si.').waitFor()

  await server.fill('meet.example.com')
  await server.press('Enter')
  await page.getByText('Enter an address that begins with https://', { exact: false }).waitFor()
  await server.fill('https://meet.example.com/?room=')
  await server.press('Enter')
  await page.getByText('Enter an address that begins with https://', { exact: false }).waitFor()
  await server.fill('https://meet.example.com')
  await server.press('Enter')
  await page.getByText('Saved', { exact: true }).waitFor()
  // Ben's page learns the new server from an event.
  await becomes(async () => {
    await bens.getByRole('button', { name: 'Add video call' }).click()
    return (await box(bens).inputValue()).includes('(https://meet.example.com/')
  }, true)
  assert.deepEqual(await inspect(page, 'call-settings'), [])
  await page.getByRole('button', { name: /Call provider/ }).click()
  await page.getByRole('option', { name: 'None' }).click()

  await bens.getByRole('button', { name: 'Add video call' }).waitFor({ state: 'detached' })
  await bens.getByRole('button', { name: 'Add', exact: true }).click()
  await bens.getByRole('menuitem', { name: 'Saved snippets' }).waitFor()
  assert.equal(await bens.getByRole('menuitem', { name: 'Video call' }).count(), 0)
  await becomes(() => server.count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
