import assert from 'node:assert/strict'
import { Role } from '../../server/users/role.ts'
import { fillExample } from './example.ts'
import { testInChromium } from './in-chromium.ts'
import { openStage } from './stage.ts'

testInChromium({
  async 'an administrator gives somebody another role, which the page follows'(browser) {
    const stage = await openStage(browser)
    const { ben, cleo } = await fillExample(stage.chat)
    const page = await stage.openAs(cleo, '/')

    await page.getByRole('button', { name: /your account/ }).click()
    await page.getByRole('menuitem', { name: 'Organization' }).click()
    await page.getByRole('button', { name: 'Actions for Ben Bitdiddle' }).click()
    await page.getByRole('menuitem', { name: 'Change the role …' }).click()
    assert.equal(await page.getByRole('radio', { name: /^Owner/ }).count(), 0)
    await page.getByRole('dialog').getByText('Moderator', { exact: true }).click()
    await page.getByRole('button', { name: 'Change', exact: true }).click()

    await page
      .getByRole('row', { name: /Ben Bitdiddle/ })
      .getByText('Moderator')
      .waitFor()
    assert.equal((await ben.succeed('GET /users/me')).role, Role.moderator)
    assert.deepEqual(stage.complaints(), [])
    await stage.close()
  },

  async 'several accounts are deactivated at once, after it was said what follows, and brought back'(browser) {
    const stage = await openStage(browser)
    const { ada, ben } = await fillExample(stage.chat)
    const eve = await stage.chat.user('eve', { fullName: 'Eve Sender' })
    await ben.succeed('POST /bots', { full_name: 'Robot', short_name: 'robot' })
    const page = await stage.openAs(ada, '/organization/people')

    for (const name of ['Ben Bitdiddle', 'Eve Sender', 'Ada Lovelace'])
      await page
        .getByRole('row', { name: new RegExp(name) })
        .locator('.checkbox')
        .click()
    await page.getByRole('button', { name: 'Deactivate …' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Deactivate 2 accounts?' })
    await dialog.getByText('so do their bots: Robot').waitFor()
    await dialog.getByText('1 of those you selected you may not deactivate').waitFor()
    await dialog.getByRole('button', { name: 'Deactivate' }).click()

    await page.getByText('2 accounts are deactivated').waitFor()
    assert.equal((await ada.succeed(`GET /users/${eve.id}`)).user.is_active, false)
    await page.getByRole('button', { name: /^Active/ }).click()
    await page.getByRole('option', { name: 'Deactivated' }).click()
    await page.getByRole('row', { name: /Robot/ }).waitFor()
    await page
      .getByRole('row', { name: /Eve Sender/ })
      .locator('.checkbox')
      .click()
    await page.getByRole('button', { name: 'Bring back' }).click()
    await page.getByText('Eve Sender is back').waitFor()
    assert.equal((await ada.succeed(`GET /users/${eve.id}`)).user.is_active, true)
    assert.deepEqual(stage.complaints(), [])
    await stage.close()
  },

  async 'what the server refuses of several is said of each, beside what it concerns'(browser) {
    const stage = await openStage(browser)
    const { ada, ben } = await fillExample(stage.chat)
    const page = await stage.openAs(ada, '/organization/people')
    await page.getByRole('button', { name: 'Actions for Ben Bitdiddle' }).click()
    await page.getByRole('menuitem', { name: 'Deactivate …' }).click()
    const refusal = { code: 'BAD_REQUEST', msg: 'Not on a Sunday' }
    await page.route(`**/json/users/${ben.id}`, (route) => route.fulfill({ status: 400, json: refusal }))

    await page.getByRole('alertdialog').getByRole('button', { name: 'Deactivate' }).click()

    await page.getByRole('alert').getByText('Ben Bitdiddle: Not on a Sunday').waitFor()
    assert.equal((await ada.succeed(`GET /users/${ben.id}`)).user.is_active, true)
    await stage.close()
  },

  async 'who is no administrator is not led there, and told whom to ask'(browser) {
    const stage = await openStage(browser)
    const { ben } = await fillExample(stage.chat)
    const page = await stage.openAs(ben, '/organization/people')

    await page.getByRole('heading', { name: 'This is for administrators' }).waitFor()
    await page.getByRole('button', { name: /your account/ }).click()
    await page.getByRole('menuitem', { name: 'Your profile' }).waitFor()

    assert.equal(await page.getByRole('menuitem', { name: 'Organization' }).count(), 0)
    assert.deepEqual(stage.complaints(), [])
    await stage.close()
  },
})
