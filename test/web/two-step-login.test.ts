import assert from 'node:assert/strict'
import { generateSync } from 'otplib'
import type { CDPSession, Page } from 'playwright-core'
import { newTotpSecret, saveTotp } from '#people/second-factors.ts'
import { PASSWORD, submitPassword } from '../browser.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { pressCopy } from './press-copy.ts'
import { openStage } from './stage.ts'

/** Connects an authenticator in software that verifies its user to the window. */
async function connectAuthenticator(page: Page): Promise<{ devTools: CDPSession; authenticatorId: string }> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
  return { devTools, authenticatorId }
}

async function logOut(page: Page): Promise<void> {
  // The client would notice the end of its session, and go to the login page by itself.
  await page.goto('about:blank')
  await page.context().clearCookies({ name: 'parley_session' })
  await page.goto('/login/')
}

async function enterPassword(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: /^(Log|Sign) in$/ }).click()
}

const showsMessages = (page: Page) => page.getByRole('button', { name: /account menu/ }).waitFor()

test('a user adds an app and a passkey, and logs in with the app, a recovery code, and the passkey alone', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  await submitPassword(stage.chat, ben)
  const page = await stage.openAs(ben, '/settings/security')
  await connectAuthenticator(page)

  await page.getByRole('button', { name: 'Set up an authenticator app' }).click()
  const secret = (await page.getByText(/^[A-Z2-7]{4}( [A-Z2-7]{4}){7}$/).innerText()).replaceAll(' ', '')
  const code = () => generateSync({ secret, epoch: stage.chat.clock.now() })
  await page.getByLabel('Code that the app shows').fill(code())
  await page.getByRole('button', { name: 'Add app' }).click()
  const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allInnerTexts()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Laptop')
  await page.getByRole('dialog').getByRole('button', { name: 'Add passkey' }).click()
  await page.getByRole('list', { name: 'Your passkeys' }).getByText('Laptop').waitFor()

  await logOut(page)
  await enterPassword(page, ben.email)
  await stage.chat.clock.advance(30)
  await page.getByLabel('Code', { exact: true }).fill('000000')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('This code is wrong').waitFor()
  await page.getByLabel('Code', { exact: true }).fill(code())
  await page.getByRole('button', { name: 'Continue' }).click()
  await showsMessages(page)

  await logOut(page)
  await enterPassword(page, ben.email)
  await page.getByLabel('Code', { exact: true }).fill(codes[0] ?? '')
  await page.getByLabel('Don’t ask again on this browser for 30 days').check()
  await page.getByRole('button', { name: 'Continue' }).click()
  await showsMessages(page)

  await logOut(page)
  await enterPassword(page, ben.email)
  await showsMessages(page)

  await logOut(page)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await showsMessages(page)

  await stage.endSession(page)
  await page.goto('/login/')
  await enterPassword(page, ben.email)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await showsMessages(page)

  await page.goto('/settings/security')
  await page.getByText('You have 9 codes left.').waitFor()
  await page.getByRole('button', { name: 'Remove Laptop' }).click()
  await page
    .getByRole('alertdialog')
    .or(page.getByRole('dialog'))
    .getByRole('button', { name: 'Remove passkey' })
    .click()
  await becomes(() => page.getByText('Laptop', { exact: true }).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

const select = async (page: Page, setting: RegExp, option: string) => {
  await page.getByRole('button', { name: setting }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

test('an owner requires two-step login, and people set up an app or a passkey on their way to the messages', async () => {
  const stage = await openStage()
  const { chat } = stage
  const { ada, ben, cleo } = await fillExample(chat)
  for (const person of [ben, cleo]) await submitPassword(chat, person)
  const page = await stage.openAs(ada, '/organization/sign-in')
  const other = await stage.openAs(ben, '/')

  await select(page, /Require two-step login$/, 'Everyone')
  await page.getByText('Set up two-step login for your own account first, under Settings → Security.').waitFor()
  const { secret: key, random, transaction } = chat.app.services
  await transaction((tx) =>
    saveTotp(tx, { secret: key, random }, ada.id, { secret: newTotpSecret(random), lastStep: 0 }),
  )
  await select(page, /Require two-step login$/, 'Everyone')
  const banner = other.getByRole('region', { name: 'Two-step login' })
  await banner.getByText(/^Set up two-step login by /).waitFor()
  assert.deepEqual(await inspect(other, 'two-step-banner'), [])
  await banner.getByRole('button', { name: 'Remind me tomorrow' }).click()
  await other.reload()
  await showsMessages(other)
  assert.equal(await banner.count(), 0)

  assert.deepEqual(await inspect(page, 'two-step-required'), [])
  await page.goto('/organization/people')
  await select(page, /Show$/, 'No two-step login (2)')
  await becomes(() => page.getByRole('row', { name: /@example\.com/ }).count(), 2)
  assert.deepEqual(await inspect(page, 'two-step-missing'), [])

  await page.goto('/organization/sign-in')
  const noGrace = () => select(page, /Time to set it up$/, 'None: people set it up at once')
  const warning = page.getByRole('alertdialog', { name: 'Sign people out now?' })
  await noGrace()
  await warning.getByText(/^2 people have no two-step login/).waitFor()
  assert.deepEqual(await inspect(page, 'two-step-warning'), [])
  await warning.getByRole('link', { name: 'Show people without two-step login' }).click()
  await becomes(() => page.getByRole('row', { name: /@example\.com/ }).count(), 2)
  await page.goBack()
  await noGrace()
  await warning.getByRole('button', { name: 'Require two-step login' }).click()
  await page.locator('[data-setting="second_factor_grace_days"]').getByText('Saved').waitFor()
  await other.getByText('Your organization requires two-step login. Sign in to set it up.').waitFor()
  await enterPassword(other, ben.email)
  assert.deepEqual(await inspect(other, 'two-step-set-up'), [])
  await other.getByText('Without a camera').click()
  const secret = (await other.getByText(/^[A-Z2-7]{4}( [A-Z2-7]{4}){7}$/).innerText()).replaceAll(' ', '')
  await other.getByLabel('Code that the app shows').fill('000000')
  await other.getByRole('button', { name: 'Continue' }).click()
  await other.getByText('This code is wrong').waitFor()
  await other.getByLabel('Code that the app shows').fill(generateSync({ secret, epoch: chat.clock.now() }))
  await other.getByRole('button', { name: 'Continue' }).click()
  await becomes(() => other.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').count(), 10)
  assert.deepEqual(await inspect(other, 'two-step-codes'), [])
  await other.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await pressCopy(other.getByRole('button', { name: 'Copy codes' }))
  assert.equal((await other.evaluate(() => navigator.clipboard.readText())).split('\n').length, 10)
  await other.getByRole('link', { name: 'Continue' }).click()
  await showsMessages(other)

  const third = await stage.openWindow()
  await connectAuthenticator(third)
  await third.goto('/login/')
  await enterPassword(third, cleo.email)
  await third.getByRole('button', { name: 'Set up a passkey instead' }).click()
  await third.getByRole('link', { name: 'Continue' }).click()
  await showsMessages(third)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
