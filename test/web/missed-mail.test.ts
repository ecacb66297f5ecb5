import assert from 'node:assert/strict'
import { PASSWORD, submitPassword } from '../browser.ts'
import { sendDirect, sendToChannel } from '../messages.ts'
import { mailAfter, WAIT } from '../missed-mail.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

/** Returns the URLs of the links in an email, by their text. */
const linksIn = (html: string): Record<string, string> =>
  Object.fromEntries(
    Array.from(html.matchAll(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/gs), ([, href = '', words = '']) => [
      words.replace(/<[^>]*>/g, '').trim(),
      href.replaceAll('&amp;', '&'),
    ]),
  )

test('links in emails about missed messages open them, logged in or not, and unsubscribe', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await submitPassword(stage.chat, ben)
  await mailAfter(stage.chat, WAIT, ben)
  await sendDirect(ada, [ben], 'Have you seen the sketch?')
  const [direct] = (await mailAfter(stage.chat, WAIT, ben)).slice(-1)
  await sendToChannel(ada, { name: 'design' }, '@**Ben Bitdiddle** or this one?', 'round & square')
  const [inTopic] = (await mailAfter(stage.chat, WAIT, ben)).slice(-1)
  const links = linksIn(inTopic?.html ?? '')
  const page = await stage.openWindow()

  await page.goto(linksIn(direct?.html ?? '')['Open the conversation'] as string)
  await page.getByLabel('Email').fill(ben.email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('.message[data-near]', { hasText: 'Have you seen the sketch?' }).waitFor()
  await page.goto(links['Open the conversation'] as string)
  await page.getByRole('heading', { level: 1, name: 'round & square' }).waitFor()
  await page.locator('.message[data-near]', { hasText: 'or this one?' }).waitFor()

  const visitor = await stage.openWindow()
  await visitor.goto(links['Unsubscribe from emails about missed messages'] as string)
  assert.deepEqual(await inspect(visitor, 'end-mail'), [])
  await visitor.getByRole('button').click()
  await visitor.getByRole('heading', { level: 1, name: 'You have unsubscribed' }).waitFor()
  assert.deepEqual(await inspect(visitor, 'end-mail-done'), [])
  await sendDirect(ada, [ben], 'And this?')
  assert.equal((await mailAfter(stage.chat, WAIT, ben)).at(-1)?.subject, inTopic?.subject)
  const settings = await stage.openAs(ben, links['Unsubscribe from emails about missed messages'] as string)
  await settings.getByRole('button').click()
  await settings.getByRole('link', { name: 'your settings' }).click()
  await settings.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
