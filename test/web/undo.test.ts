import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Person } from '../harness.ts'
import { fetchMessage, sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { choose, rowOf } from './message-row.ts'
import { openStage } from './stage.ts'

/** Undoes the change that the newest toast reports. */
const undo = (page: Page, report: string) =>
  page.locator('.toast', { hasText: report }).last().getByRole('button', { name: 'Undo' }).click()

const flagsOf = async (person: Person, ids: readonly number[], flag: string) =>
  Promise.all(ids.map(async (id) => (await fetchMessage(person, id)).flags.includes(flag)))

test('marking as unread is undone for the messages that were read before', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const later = await sendToChannel(ada, { name: 'design' }, 'and one more', 'icons')
  await ben.succeed('PATCH /settings', { web_mark_read_on_scroll_policy: 3 })
  await ben.succeed('POST /messages/flags', { messages: [1, 2, 3], op: 'add', flag: 'read' })
  const page = await stage.openAs(ben, '/channels/1')
  await page.getByText('warmer grey').waitFor()

  await choose(page, 'Round, please', 'Mark as unread from here')
  await becomes(() => flagsOf(ben, [1, 2, 3, later], 'read'), [true, false, true, false])
  await undo(page, 'Marked as unread')
  await becomes(() => flagsOf(ben, [1, 2, 3, later], 'read'), [true, true, true, false])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('removing a star and muting a user can be undone', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  await ada.succeed('POST /messages/flags', { messages: [2], op: 'add', flag: 'starred' })
  const page = await stage.openAs(ada, '/starred')

  await choose(page, 'Round, please', 'Unstar')
  await becomes(() => flagsOf(ada, [2], 'starred'), [false])
  await undo(page, 'Message unstarred')
  await becomes(() => flagsOf(ada, [2], 'starred'), [true])
  await page.goto('/people')
  await page.getByRole('option', { name: /Cleo Hopper/ }).click()
  await page.getByRole('button', { name: 'More actions for Cleo Hopper' }).click()
  await page.getByRole('menuitem', { name: 'Mute user' }).click()
  await undo(page, 'You muted Cleo Hopper')
  await becomes(async () => (await ada.succeed('POST /register', {}))['muted_users'], [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('moving messages can be undone, unless they were moved to others', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/channels/1')
  const dialog = page.getByRole('dialog')
  const topicsOf = (ids: readonly number[]) => Promise.all(ids.map(async (id) => (await fetchMessage(ada, id)).subject))
  const move = async (topic: string, extent: string) => {
    await choose(page, 'Round, please', 'Move messages')
    await dialog.getByRole('combobox', { name: 'Topic' }).fill(topic)
    await dialog.getByRole('button', { name: /Messages to move/ }).click()
    await page.getByRole('option', { name: extent }).click()
    await dialog.getByRole('button', { name: 'Move', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await rowOf(page, 'Round, please').waitFor()

  await move('colours', 'Only this message')
  await becomes(() => topicsOf([1, 2, 3]), ['icons', 'colours', 'colours'])
  await undo(page, 'Messages moved')
  await becomes(() => topicsOf([1, 2, 3]), ['icons', 'icons', 'colours'])
  await move('shapes', 'The whole topic')
  await becomes(() => topicsOf([1, 2, 3]), ['shapes', 'shapes', 'colours'])
  await undo(page, 'Messages moved')
  await becomes(() => topicsOf([1, 2, 3]), ['icons', 'icons', 'colours'])
  await move('colours', 'The whole topic')
  await page.locator('.toast', { hasText: 'Messages moved' }).last().waitFor()
  assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
