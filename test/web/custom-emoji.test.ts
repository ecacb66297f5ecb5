import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { movingPicture } from '../pictures.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

const choose = async (page: Page, name: string, bytes: Buffer) => {
  await page.getByRole('button', { name: 'Add emoji' }).waitFor()
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'image/gif', buffer: bytes })
}

test('a custom emoji is added, visible to everyone immediately, and removed by its author', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const bens = await stage.openAs(ben, '/channels/1')
  await bens.getByRole('button', { name: 'Emoji', exact: true }).click()
  await bens.getByRole('link', { name: 'Add custom emoji' }).click()
  const adas = await stage.openAs(ada, '/organization/emoji')
  await adas.getByText('No custom emoji yet').waitFor()

  await choose(bens, 'Party Parrot.gif', movingPicture)
  const name = bens.getByRole('textbox', { name: 'Name' })
  await becomes(() => name.inputValue(), 'party_parrot')
  assert.deepEqual(await inspect(bens, 'organization-new-emoji'), [])
  await name.fill('tea!')
  await bens.getByRole('dialog').getByRole('button', { name: 'Add emoji' }).click()
  await bens.getByText('Emoji names must contain only').waitFor()
  await name.fill('Tea Time')
  await bens.getByRole('dialog').getByRole('button', { name: 'Add emoji' }).click()
  await bens.getByText(':tea_time: added').waitFor()
  await adas.getByText(':tea_time:').waitFor()
  await adas.getByText('by Ben Bitdiddle').waitFor()
  assert.deepEqual(await inspect(bens, 'organization-emoji'), [])

  await bens.getByRole('button', { name: 'Remove tea_time' }).click()
  await bens.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await adas.getByText('No custom emoji yet').waitFor()
  await bens.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Custom emoji')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('invalid images and duplicate names are reported, and users without permission see no button', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/organization/emoji')

  await choose(page, 'notes.png', Buffer.from('These are words.'))
  await page.getByText('notes.png isn’t a supported image.').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await choose(page, 'large.gif', Buffer.concat([movingPicture, Buffer.alloc(5 * 2 ** 20)]))
  await page.getByText('large.gif is larger than 5 MiB.').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  const cut = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
  await page.locator('input[type=file]').setInputFiles({ name: 'cut.svg', mimeType: 'image/svg+xml', buffer: cut })
  await page.getByRole('dialog').getByRole('button', { name: 'Add emoji' }).click()
  await page.getByRole('alert').getByText('Invalid image format', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  for (const end of ['added', 'already exists']) {
    await choose(page, 'tick.gif', movingPicture)
    await page.getByRole('dialog').getByRole('button', { name: 'Add emoji' }).click()
    await page.getByText(end).waitFor()
  }
  await page.getByRole('button', { name: 'Cancel' }).click()
  const { realm_user_groups } = await ada.succeed('POST /register', { fetch_event_types: ['realm_user_groups'] })
  const administrators = realm_user_groups.find(({ name }: { name: string }) => name === 'role:administrators')
  await ada.succeed('PATCH /realm', { can_add_custom_emoji_group: { new: administrators.id } })

  await page.getByText('You don’t have permission to add emoji').waitFor()
  await becomes(() => page.getByRole('button', { name: 'Add emoji' }).count(), 0)
  const cleos = await stage.openAs(cleo, '/organization/emoji')
  await cleos.getByText(':tick:').waitFor()

  const onlyBen = { direct_members: [ben.id], direct_subgroups: [] }
  await ada.succeed('PATCH /realm', { can_add_custom_emoji_group: { new: onlyBen } })
  await page.getByRole('button', { name: 'Add emoji' }).waitFor()
  await cleos.getByText('You don’t have permission to add emoji').waitFor()
  await becomes(() => cleos.getByRole('button', { name: 'Add emoji' }).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
