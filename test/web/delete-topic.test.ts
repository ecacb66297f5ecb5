import assert from 'node:assert/strict'
import { sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

test('an administrator deletes a topic in parts, for everyone', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const [adas, bens] = [
    await stage.openAs(ada, '/channels/1?topic=icons'),
    await stage.openAs(ben, '/channels/1?topic=icons'),
  ]
  const dialog = adas.getByRole('alertdialog')
  const field = dialog.getByLabel('Type “icons” to confirm')
  await bens.getByText('Round, please').waitFor()
  await bens.getByRole('button', { name: 'Actions for topic icons' }).click()
  await bens.getByRole('menuitem', { name: 'Copy link' }).waitFor()
  await becomes(() => bens.getByRole('menuitem', { name: 'Delete topic' }).count(), 0)
  await bens.keyboard.press('Escape')

  await adas.getByRole('button', { name: 'Actions for topic icons' }).click()
  await adas.getByRole('menuitem', { name: 'Delete topic' }).click()
  await field.fill('icon')
  await field.press('Enter')
  await dialog.getByText('The name doesn’t match.').waitFor()
  assert.deepEqual(await inspect(adas, 'delete-topic'), [])

  const gate = Promise.withResolvers<void>()
  let asked = 0
  await adas.route('**/delete_topic', async (route) => {
    asked += 1
    if (asked === 1) return route.fulfill({ json: { result: 'success', msg: '', complete: false } })
    await gate.promise
    return route.continue()
  })
  await field.fill('Icons')
  await field.press('Enter')
  await dialog.getByText('part 2').waitFor()
  assert.deepEqual(await inspect(adas, 'delete-topic-on-its-way'), [])
  gate.resolve()

  await adas.getByText('Topic icons deleted').waitFor()
  await adas.waitForURL(/\/channels\/1$/)
  await adas.getByText('warmer grey').waitFor()
  await bens.getByText('Round, please').waitFor({ state: 'detached' })
  assert.equal(asked, 2)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('an error while deleting a topic is shown, and Cancel stops after the current part', async () => {
  const stage = await openStage()
  const { cleo } = await fillExample(stage.chat)
  await sendToChannel(cleo, { name: 'design' }, 'done with', '✔ old')
  const page = await stage.openAs(cleo, `/channels/1?topic=${encodeURIComponent('✔ old')}`)
  const dialog = page.getByRole('alertdialog')
  await page.getByText('done with').waitFor()
  await page.getByRole('button', { name: 'Actions for topic old' }).click()
  await page.getByRole('menuitem', { name: 'Delete topic' }).click()
  await dialog.getByLabel('Type “old” to confirm').fill('old')

  await page.route('**/delete_topic', (route) => route.fulfill({ status: 500, json: { msg: 'Out of order' } }))
  await dialog.getByRole('button', { name: 'Delete topic' }).click()
  await dialog.getByText('Couldn’t delete the topic').waitFor()
  await page.unroute('**/delete_topic')
  const gate = Promise.withResolvers<void>()
  let asked = 0
  await page.route('**/delete_topic', async (route) => {
    asked += 1
    await gate.promise
    return route.fulfill({ json: { result: 'success', msg: '', complete: false } })
  })
  await dialog.getByRole('button', { name: 'Delete topic' }).click()
  await dialog.getByText('Deleting…').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  gate.resolve()

  await page.getByText('Stopped deleting old').waitFor()
  assert.equal(asked, 1)
  await page.getByText('done with').waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
