import assert from 'node:assert/strict'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

test('owners choose how long a channel keeps its messages, and confirm a shorter period', async () => {
  const stage = await openStage()
  const { ada, cleo } = await fillExample(stage.chat)
  const { id } = await stage.chat.channel('logbook', [ada, cleo])
  const page = await stage.openAs(ada, `/channels/${id}/settings/general`)
  const days = async () => (await ada.succeed(`GET /streams/${id}`)).stream.message_retention_days

  await page.getByRole('button', { name: /^(?!Undo).*Message retention/ }).click()
  await page.getByRole('option', { name: '30 days' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
  assert.equal(await days(), null)
  await page.getByRole('button', { name: /^(?!Undo).*Message retention/ }).click()
  await page.getByRole('option', { name: '30 days' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete older messages' }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  assert.equal(await days(), 30)
  await page.getByRole('button', { name: /^(?!Undo).*Message retention/ }).click()
  await page.getByRole('option', { name: 'Forever', exact: true }).click()
  await becomes(days, -1)

  const cleos = await stage.openAs(cleo, `/channels/${id}/settings/general`)
  await cleos.getByRole('textbox', { name: 'Name' }).waitFor()
  assert.equal(await cleos.getByRole('button', { name: /Message retention/ }).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('an archived channel is restored in its settings, and its subscribers can post again', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const { id } = await stage.chat.channel('logbook', [ada, ben])
  await ada.succeed(`DELETE /streams/${id}`)
  const page = await stage.openAs(ada, `/channels/${id}/settings/general`)

  await page.getByRole('button', { name: 'Unarchive logbook' }).click()
  await page.getByRole('button', { name: 'Archive logbook…' }).waitFor()

  await ben.succeed('POST /messages', { type: 'stream', to: id, topic: 'back', content: 'Ahoy' })
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
