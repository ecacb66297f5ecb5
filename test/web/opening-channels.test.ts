import assert from 'node:assert/strict'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

test('a click on a channel opens the latest topic in which people write, rather than one of the server’s bots', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  await ada.succeed('PATCH /streams/1', { description: 'Sketches and icons' })
  const page = await stage.openAs(ada, '/drafts')
  const channel = (name: string) => page.locator('.pane-channel', { hasText: name }).getByRole('link').first()

  await channel('design').click()
  await page.getByRole('heading', { level: 1, name: 'colours' }).waitFor()
  await becomes(
    () => page.locator('.pane-topic .pane-link-name').allTextContents(),
    ['channel events', 'colours', 'icons'],
  )
  const { messages } = await ada.succeed('GET /messages', {
    ...{ anchor: 'newest', num_before: 1, num_after: 0 },
    narrow: [{ operator: 'topic', operand: 'colours' }],
  })
  await ada.succeed(`PATCH /messages/${messages[0].id}`, {
    ...{ stream_id: 2, propagate_mode: 'change_all' },
    ...{ send_notification_to_old_thread: true, send_notification_to_new_thread: false },
  })
  await page.goto('/combined')
  await page.getByText('This topic was moved to').waitFor()
  await channel('design').click()

  await page.getByRole('heading', { level: 1, name: 'icons' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
