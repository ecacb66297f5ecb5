import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { Role } from '#rules/role.ts'
import { movingPicture } from '../pictures.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

const choose = (page: Page, name: string, bytes: Buffer) =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: 'image/gif', buffer: bytes })

test('a profile picture is previewed, uploaded, visible to others immediately, and removed', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const [bens, adas] = [await stage.openAs(ben, '/settings/profile'), await stage.openAs(ada, '/people')]
  const picture = adas.locator('main .avatar img')
  await bens.getByRole('button', { name: 'Add picture' }).waitFor()

  await choose(bens, 'me.gif', movingPicture)
  await bens.getByRole('img', { name: 'Preview' }).waitFor()
  assert.deepEqual(await inspect(bens, 'settings-new-picture'), [])
  await bens.getByRole('button', { name: 'Use picture' }).click()
  await bens.getByText('Profile picture updated').waitFor()
  await bens.getByRole('button', { name: 'Change picture' }).waitFor()
  await picture.waitFor({ state: 'attached' })
  assert.deepEqual(await inspect(bens, 'settings-picture'), [])

  await bens.getByRole('button', { name: 'Remove', exact: true }).click()
  await bens.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await bens.getByRole('button', { name: 'Add picture' }).waitFor()
  await bens.waitForFunction(() => document.activeElement?.textContent === 'Add picture')
  await picture.waitFor({ state: 'detached' })
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('invalid and large images are reported immediately, and so is a setting that forbids changes', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/settings/profile')
  await page.getByRole('button', { name: 'Add picture' }).waitFor()

  await choose(page, 'notes.png', Buffer.from('These are words.'))
  await page.getByText('notes.png isn’t a supported image.').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await choose(page, 'large.png', Buffer.concat([movingPicture, Buffer.alloc(6 * 2 ** 20)]))
  await page.getByText('large.png is larger than 5 MiB.').waitFor()
  await becomes(() => page.getByRole('button', { name: 'Use picture' }).count(), 0)
  await page.getByRole('button', { name: 'Cancel' }).click()

  const dora = await stage.chat.user('dora', { role: Role.owner })
  await dora.succeed('PATCH /realm', { avatar_changes_disabled: true })
  await page.getByText('Only administrators can change profile pictures').waitFor()
  await becomes(() => page.getByRole('button', { name: 'Add picture' }).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
