import assert from 'node:assert/strict'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { testInChromium } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { addProfileFields, fillProfile } from './profile-example.ts'
import { openStage } from './stage.ts'

testInChromium({
  async 'a card tells in short what somebody says of themselves, all of it when asked, and follows'(browser) {
    const stage = await openStage(browser)
    const { ada, ben, cleo } = await fillExample(stage.chat)
    const ids = await addProfileFields(ada)
    await fillProfile(ben, ada, ids)
    const page = await stage.openAs(cleo, '/people')
    await page.getByRole('option', { name: /^Ben/ }).click()
    const card = page.getByRole('dialog', { name: 'Ben Bitdiddle' })
    const facts = async () =>
      (await card.locator('dd:visible').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
    await card.getByText('he/him').waitFor()
    const inShort = await facts()

    await card.getByText('The whole profile').click()

    assert.deepEqual(inShort, ['Member', 'ben@example.com', 'he/him'])
    const about = 'Runs the analytical engine. tea trains See https://example.com/engine'
    await becomes(facts, [
      ...inShort,
      ...['+44 20 7946 0123', about, 'Vim', '10 December 1990', 'https://example.com/ben', 'Ada Lovelace', 'bitdiddle'],
    ])
    const link = card.getByRole('link', { name: 'bitdiddle' })
    await becomes(() => link.getAttribute('href'), 'https://github.com/bitdiddle')
    await becomes(() => link.getAttribute('rel'), 'noopener noreferrer')
    assert.deepEqual(await inspect(page, 'person-card-profile'), [])
    await ben.succeed('PATCH /users/me/profile_data', { data: [{ id: ids.Editor, value: 'emacs' }] })
    await card.getByText('Emacs').waitFor()
    await ada.succeed(`DELETE /realm/profile_fields/${ids.Editor}`)
    await becomes(() => card.getByText('Emacs').count(), 0)
    await ada.succeed(`PATCH /realm/profile_fields/${ids.Phone}`, { name: 'Mobile', display_in_profile_summary: true })
    await card.getByText('Mobile').waitFor()
    await becomes(async () => (await facts()).slice(1, 3), ['ben@example.com', '+44 20 7946 0123'])
    assert.deepEqual(stage.complaints(), [])
    await stage.close()
  },
})
