import assert from 'node:assert/strict'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { chooseInOrganizationMenu } from './organization-menu.ts'
import { openStage } from './stage.ts'

test('if people can only join by links, the invite button is shown to users who may create them', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await stage.chat.change({
    can_invite_users_group: 'role:nobody',
    create_multiuse_invite_group: 'role:administrators',
  })
  const [adas, bens] = [await stage.openAs(ada, '/'), await stage.openAs(ben, '/')]

  await chooseInOrganizationMenu(adas, 'Invite people')
  await adas.getByRole('button', { name: 'Create link' }).waitFor()
  await adas.getByRole('tab', { name: 'By email' }).click()
  await adas.getByText('You can’t invite people by email').waitFor()

  await bens.getByRole('button', { name: /organization menu$/ }).click()
  await bens.getByRole('menuitem', { name: 'People', exact: true }).waitFor()
  await becomes(() => bens.getByRole('menuitem', { name: 'Invite people' }).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
