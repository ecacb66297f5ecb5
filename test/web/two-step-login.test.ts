import assert from 'node:assert/strict'
import { generateSync } from 'otplib'
import type { CDPSession, Page } from 'playwright-core'
import { PASSWORD, submitPassword } from '../browser.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
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

  await page.context().clearCookies()
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
