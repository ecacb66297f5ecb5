import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { sendToChannel } from '../messages.ts'
import { allowsLoopback, startWebhookReceiver } from '../webhook-receiver.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { choose } from './message-row.ts'
import { openStage } from './stage.ts'

const box = (page: Page) => page.getByLabel(/^Message/)

/**
 * Opens a link as its click would. A click crashes the process of the page now and then (Chromium 156), if the new tab
 * begins in that process and is redirected to another site.
 */
async function openInTab(page: Page, link: Locator): Promise<Page> {
  assert.equal(await link.getAttribute('target'), '_blank')
  const tab = await page.context().newPage()
  await tab.goto(String(await link.getAttribute('href')))
  return tab
}

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

test('a call on BigBlueButton has the name of the conversation, and its link leads into the meeting', async () => {
  const bbb = await startWebhookReceiver()
  bbb.behave((response, { path }) => {
    response.writeHead(200, { 'content-type': path.includes('/api/join') ? 'text/html' : 'text/xml' })
    response.end(
      path.includes('/api/join')
        ? '<h1>You are in the meeting</h1>'
        : '<response><returncode>SUCCESS</returncode><createTime>1700000000123</createTime></response>',
    )
  })
  const url = `http://127.0.0.1:${bbb.port}/bigbluebutton`
  const stage = await openStage({ settings: { BIG_BLUE_BUTTON_URL: url, BIG_BLUE_BUTTON_SECRET: 'secret' } })
  const { ada, ben } = await fillExample(stage.chat)
  await ada.succeed('PATCH /realm', { video_chat_provider: 4 })
  const page = await stage.openAs(ben, '/channels/1?topic=colours')
  await page.getByText('warmer grey').waitFor()

  await box(page).click()
  await page.getByRole('button', { name: 'Add voice call' }).click()
  await becomes(async () => /^\[Join voice call\.\]\(http:\/\/localhost/.test(await box(page).inputValue()), true)
  await box(page).press('Control+Enter')
  const link = page.locator('[data-message]').getByRole('link', { name: 'Join voice call.' })
  const meeting = await openInTab(page, link)
  await meeting.getByText('You are in the meeting').waitFor()

  const created = new URL(bbb.received[0]?.path ?? '', url).searchParams
  assert.deepEqual([created.get('name'), created.get('lockSettingsDisableCam')], ['design › colours', 'true'])
  assert.equal(new URL(bbb.received[1]?.path ?? '', url).searchParams.get('role'), 'MODERATOR')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the first call on Zoom asks to connect the account there, and then continues', async () => {
  const zoom = await startWebhookReceiver()
  let isBroken = false
  zoom.behave((response, { path }) => {
    const asked = new URL(path, 'http://zoom')
    if (asked.pathname === '/oauth/authorize') {
      const back = `${asked.searchParams.get('redirect_uri')}?code=x&state=${asked.searchParams.get('state')}`
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<a href="${back}">Allow</a>`)
    } else if (asked.pathname === '/oauth/token')
      response.end(JSON.stringify({ access_token: 'a', refresh_token: 'r', expires_in: 3600 }))
    else if (isBroken) response.writeHead(500).end()
    else response.writeHead(201).end(JSON.stringify({ join_url: 'https://example.zoom.us/j/123' }))
  })
  const origin = `http://127.0.0.1:${zoom.port}`
  const stage = await openStage({
    settings: { ...allowsLoopback, VIDEO_ZOOM_CLIENT_ID: 'parley', VIDEO_ZOOM_CLIENT_SECRET: 'secret' },
    serviceOrigins: { zoom: origin, zoomApi: origin },
  })
  const { ada, ben } = await fillExample(stage.chat)
  await ada.succeed('PATCH /realm', { video_chat_provider: 3 })
  const page = await stage.openAs(ben, '/channels/1?topic=colours')
  await page.getByText('warmer grey').waitFor()

  await box(page).click()
  await page.getByRole('button', { name: 'Add video call' }).click()
  const dialog = page.getByRole('dialog', { name: 'Connect Zoom' })
  await dialog.getByText('Log in there once').waitFor()
  assert.deepEqual(await inspect(page, 'connect-zoom'), [])
  const consent = await openInTab(page, dialog.getByRole('link', { name: 'Continue to Zoom' }))
  await consent.getByRole('link', { name: 'Allow' }).click()
  await consent.getByRole('heading', { name: 'Zoom is connected' }).waitFor()
  await becomes(() => box(page).inputValue(), '[Join video call.](https://example.zoom.us/j/123) ')
  isBroken = true
  await page.getByRole('button', { name: 'Add video call' }).click()
  await page.getByText('Zoom did not start a call.', { exact: false }).waitFor()

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
