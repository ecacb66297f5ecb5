import assert from 'node:assert/strict'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { choose } from './message-row.ts'
import { openStage } from './stage.ts'

for (const width of [1440, 1024, 390])
  test(`a notification does not cover the button that sends: ${width} pixels`, async () => {
    const stage = await openStage()
    const { ben } = await fillExample(stage.chat)
    const page = await stage.openAs(ben, '/channels/1?topic=colours', { width })
    await page.getByText('warmer grey').waitFor()
    await page.getByLabel(/^Message/).fill('a darker one, rather')

    await choose(page, 'warmer grey', 'Mark as unread from here')
    await page.getByRole('region', { name: 'Notifications' }).getByText('Marked as unread').waitFor()
    const [notice, button] = await Promise.all([
      page.locator('.toast').first().boundingBox(),
      page.getByRole('button', { name: 'Send', exact: true }).boundingBox(),
    ])

    assert.ok(notice !== null && button !== null)
    const isBeside = notice.y + notice.height <= button.y || notice.x + notice.width <= button.x
    assert.ok(isBeside, `${JSON.stringify(notice)} covers ${JSON.stringify(button)}`)
    await stage.close()
  })

test('at most two notifications are shown, and equal ones only once', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('border-radius').waitFor()
  await page.getByLabel(/^Message/).fill('a text')
  const shown = () => page.locator('.toast-text').allTextContents()

  for (const [topic, others] of [
    ['signs', []],
    ['marks', ['signs']],
    ['signs', ['marks']],
    ['marks', ['signs']],
    ['logos', ['marks']],
  ] as const) {
    await ada.succeed('PATCH /messages/1', { topic, propagate_mode: 'change_all' })

    await becomes(
      shown,
      [...others, topic].map((name) => `This conversation moved to #design › ${name}`),
    )
  }
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
