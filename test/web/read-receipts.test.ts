import assert from 'node:assert/strict'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { choose, openMenu } from './message-row.ts'
import { openStage } from './stage.ts'

test('read receipts leave out users who turned them off', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  await cleo.succeed('POST /messages/flags', { messages: [1], op: 'add', flag: 'read' })
  const adas = await stage.openAs(ada, '/channels/1?topic=icons')
  const dialog = adas.getByRole('dialog')

  await choose(adas, 'in the folder', 'View read receipts')
  await dialog.getByText('Cleo Hopper').waitFor()
  await becomes(() => dialog.getByRole('listitem').count(), 1)
  await adas.keyboard.press('Escape')

  const bens = await stage.openAs(ben, '/settings/availability')
  const isRead = bens.waitForResponse('**/json/messages/flags')
  await bens.goto('/channels/1?topic=icons')
  await isRead
  await choose(adas, 'in the folder', 'View read receipts')
  await dialog.getByText('Ben Bitdiddle').waitFor()
  assert.deepEqual(await inspect(adas, 'readers'), [])
  await adas.keyboard.press('Escape')

  await bens.goto('/settings/availability')
  const saved = bens.waitForResponse('**/json/settings')
  await bens.getByText('Let others see when I’ve read messages').click()
  await saved
  await cleo.succeed('PATCH /settings', { send_read_receipts: false })
  await choose(adas, 'in the folder', 'View read receipts')
  await dialog.getByText('No one has read this message yet.').waitFor()
  assert.deepEqual(await inspect(adas, 'readers-nobody'), [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('an error of read receipts is shown, and nothing is offered after the organization turns them off', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const dialog = page.getByRole('dialog')
  await page.route('**/read_receipts', (route) => route.fulfill({ status: 500, json: { msg: 'Out of order' } }))
  await choose(page, 'Round, please', 'View read receipts')
  await dialog.getByText('Out of order', { exact: true }).waitFor()
  assert.deepEqual(await inspect(page, 'readers-failed'), [])
  await page.unroute('**/read_receipts')
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await dialog.getByText('Ben Bitdiddle (you)').waitFor()
  await page.keyboard.press('Escape')

  const events = page.waitForResponse(async (response) => (await response.text()).includes('enable_read_receipts'))
  await ada.succeed('PATCH /realm', { enable_read_receipts: false })
  await events
  await openMenu(page, 'Round, please')
  await page.getByRole('menuitem', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'View source' }).waitFor()

  await becomes(() => page.getByRole('menuitem', { name: 'View read receipts' }).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
