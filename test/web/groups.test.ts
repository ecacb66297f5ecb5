import assert from 'node:assert/strict'
import { becomes, settles } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

test("a group's creator manages it, and settings that use it follow immediately", async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const [bens, adas] = [
    await stage.openAs(ben, '/organization/groups'),
    await stage.openAs(ada, '/organization/permissions'),
  ]
  await adas.getByRole('button', { name: /Who can create private channels/ }).waitFor()

  await bens.getByRole('button', { name: 'Create group' }).click()
  const dialog = bens.getByRole('dialog', { name: 'Create group' })
  await dialog.getByRole('button', { name: 'Create group' }).click()
  await dialog.getByText('Enter a name.').waitFor()
  await dialog.getByLabel('Name', { exact: true }).fill('Printers')
  const gate = Promise.withResolvers<void>()
  await bens.route('**/json/user_groups/create', async (route) => {
    await gate.promise
    await route.continue()
  })
  await dialog.getByRole('button', { name: 'Create group' }).dblclick()
  gate.resolve()
  await bens.getByRole('link', { name: 'Printers' }).click()
  await bens.getByRole('combobox', { name: 'Add people and groups' }).fill('cleo')
  await bens.getByRole('option', { name: /Cleo/ }).click()
  await bens.getByRole('button', { name: 'Add', exact: true }).click()
  await bens.getByRole('list', { name: 'Members of Printers' }).getByText(/Cleo/).waitFor()

  await adas.getByRole('button', { name: /Who can create private channels/ }).click()
  await adas.getByRole('option', { name: 'Printers' }).click()
  await adas.getByText('Saved', { exact: true }).waitFor()
  await bens.getByRole('link', { name: /Who can create private channels/ }).waitFor()
  // The link may still move the button.
  const deactivate = bens.getByRole('button', { name: 'Deactivate…' })
  await settles(() => deactivate.boundingBox())
  await deactivate.click()
  await bens.getByRole('alertdialog').getByRole('button', { name: 'Deactivate' }).click()
  await bens.getByText('It’s used in this organization setting: Who can create private channels?').waitFor()
  await bens.getByRole('button', { name: 'Cancel' }).click()
  await bens.getByRole('button', { name: /^Remove Cleo/ }).click()
  await bens.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await bens.getByText(/removed from Printers/).waitFor()

  const { user_groups } = await ada.succeed('GET /user_groups')
  const made = user_groups.filter(({ name }: { name: string }) => name === 'Printers')
  assert.deepEqual(
    made.map(({ members }: { members: number[] }) => members),
    [[ben.id]],
  )
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the page of a group follows permissions, deactivation and reactivation', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const plan = { name: 'Printers', description: 'They print', members: [ben.id] }
  const { group_id: id } = await ben.succeed('POST /user_groups/create', plan)
  const page = await stage.openAs(ben, `/organization/groups?group=${id}`)
  await page.getByRole('textbox', { name: 'Name' }).waitFor()

  await ada.succeed(`PATCH /user_groups/${id}`, {
    can_manage_group: { new: { direct_members: [ada.id], direct_subgroups: [] } },
    can_add_members_group: { new: { direct_members: [ada.id], direct_subgroups: [] } },
  })
  await page.getByRole('textbox', { name: 'Name' }).waitFor({ state: 'detached' })
  await becomes(() => page.getByRole('button', { name: /^Add$|Deactivate/ }).count(), 0)
  await page.getByRole('button', { name: 'Leave' }).waitFor()
  await ada.succeed(`POST /user_groups/${id}/deactivate`)
  await page.getByRole('heading', { name: 'Group not found' }).waitFor()
  const adas = await stage.openAs(ada, '/organization/groups')
  await adas.getByRole('button', { name: 'Reactivate Printers' }).click()
  await adas.getByRole('link', { name: 'Printers' }).waitFor()
  await page.getByRole('button', { name: 'Leave' }).waitFor()

  await becomes(() => adas.getByRole('button', { name: 'Reactivate Printers' }).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the page of a group lists the permissions that name it, and leads to them', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const { group_id: id } = await ada.succeed('POST /user_groups/create', {
    name: 'makers',
    description: '',
    members: [ben.id],
  })
  const nobody = (await ada.succeed('POST /register')).realm_user_groups.find(
    ({ name }: { name: string }) => name === 'role:nobody',
  ).id
  await ada.succeed('PATCH /realm', {
    can_add_custom_emoji_group: { new: { direct_members: [], direct_subgroups: [id, nobody] } },
  })
  await ada.succeed('PATCH /streams/1', { can_administer_channel_group: { new: id } })
  const page = await stage.openAs(ada, `/organization/groups?group=${id}`)
  const uses = page.getByRole('region', { name: 'What the group may do' })
  await uses.getByRole('link', { name: 'Permissions of #design' }).waitFor()
  await page.getByRole('button', { name: 'Deactivate…' }).click()
  await page.getByRole('alertdialog').getByRole('listitem').filter({ hasText: 'Permissions of #design' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()

  await uses.getByRole('link', { name: 'Who can add custom emoji?' }).click()

  await page.locator('[data-linked]', { hasText: 'Who can add custom emoji?' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a field that a user enters as soon as a page appears keeps the focus, and what is typed there stays', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  await ben.succeed('POST /user_groups/create', { name: 'Printers', description: '', members: [ben.id] })
  const page = await stage.openAs(ben, '/organization/groups')
  const link = page.getByRole('link', { name: 'Printers' })
  await link.waitFor()
  const hasArrived = page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        new MutationObserver((_, observer) => {
          const field = document.querySelector<HTMLElement>('main input[role="combobox"]')
          if (field === null) return
          observer.disconnect()
          field.focus()
          resolve()
        }).observe(document.body, { childList: true, subtree: true })
      }),
  )

  await link.press('Enter')
  await hasArrived

  await page.keyboard.type('cleo')
  await page.getByRole('option', { name: /Cleo/ }).waitFor()
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('role')), 'combobox')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
