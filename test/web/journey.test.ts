import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { ensureSystemBots } from '#people/bots.ts'
import { emptyDatabase } from '#storage/copy.ts'
import { issueSetupLink } from '#workflows/set-up-organization.ts'
import { PASSWORD } from '../browser.ts'
import { becomes } from './becomes.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { chooseInOrganizationMenu } from './organization-menu.ts'
import { pressCopy } from './press-copy.ts'
import { openStage, type Stage } from './stage.ts'

/** Returns the link that a server without an organization prints when it starts. */
async function setupLink({ chat }: Stage): Promise<string> {
  const { transaction } = chat.app.services
  await transaction(async (tx) => {
    await emptyDatabase(tx)
    await ensureSystemBots(tx)
  })
  return (await transaction(issueSetupLink)) ?? assert.fail('there is no link')
}

/** Fills in the four steps of the first start; returns the accessibility problems of their pages. */
async function setUp(page: Page, link: string): Promise<string[]> {
  const problems: string[] = []
  const look = async (step: string) => problems.push(...(await inspect(page, `setup-${step}`)))
  await page.goto(link)
  await look('organization')
  await page.locator('input[name=name]').fill('Analytical Engines')
  await page.locator('main form button').last().click()
  await page.locator('input[name=full_name]').fill('Ada Lovelace')
  await look('owner')
  await page.locator('input[name=email]').fill('ada@example.com')
  await page.locator('input[name=password]').fill(PASSWORD)
  await page.locator('main form button').last().click()
  await page.locator('input[name=joining]').first().check()
  await look('joining')
  await page.locator('main form button').last().click()
  await page.waitForURL('**/channels/')
  await look('channels')
  await page.locator('main form button').last().click()
  return problems
}

async function invite(page: Page, email: string): Promise<void> {
  await chooseInOrganizationMenu(page, 'Invite people')
  await page.getByLabel('Email addresses').fill(email)
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByRole('heading', { name: '1 person invited' }).waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
}

/** Returns the link in the invitation, copied from the outbox. */
async function linkFromOutbox(page: Page, email: string): Promise<string> {
  await chooseInOrganizationMenu(page, 'Outbox')
  await page.getByRole('button', { name: new RegExp(`^${email} Invitation (?!reminder)`) }).click()
  const mail = page.frameLocator('iframe[title="Email as HTML"]')
  await mail.getByText('Ada Lovelace (ada@example.com) has invited you').waitFor()
  await pressCopy(page.getByRole('button', { name: 'Copy link' }))
  await page.getByRole('button', { name: 'Close' }).click()
  return page.evaluate(() => navigator.clipboard.readText())
}

async function joinBy(page: Page, link: string): Promise<string[]> {
  await page.goto(link)
  const problems = await inspect(page, 'join')
  await page.getByLabel('Full name').fill('Ben Bitdiddle')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Join Analytical Engines' }).click()
  return problems
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel(/^Message/).fill(text)
  await page.getByRole('combobox', { name: 'Channel' }).click()
  await page.getByRole('option').first().click()
  await page.getByRole('combobox', { name: 'Topic' }).fill('first words')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
}

test('two people chat in a new organization, from the first start, with only a browser', async () => {
  const stage = await openStage()
  const [ada, ben] = [await stage.openWindow(), await stage.openWindow()]

  const problems = await setUp(ada, await setupLink(stage))
  await ada.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  await ada.getByRole('heading', { name: 'Welcome to Analytical Engines' }).waitFor()
  const steps = ada.getByRole('region', { name: 'Get started' })
  await steps.getByText('0 of 3 done').waitFor()
  await steps.getByRole('link', { name: 'Say hello in #general' }).waitFor()
  await invite(ada, 'ben@example.com')
  problems.push(...(await joinBy(ben, await linkFromOutbox(ada, 'ben@example.com'))))
  const checklist = ben.getByRole('region', { name: 'Get started' })
  await checklist.getByText(/^0 of \d done$/).waitFor()
  await ben.reload()
  await checklist.getByRole('link', { name: 'Say hello in #general', exact: true }).click()
  await becomes(() => ben.getByLabel(/^Message/).evaluate((box) => box === document.activeElement), true)
  await chooseInOrganizationMenu(ada, 'Invitations')
  await ada.getByRole('row', { name: /ben@example\.com.*Joined/ }).waitFor()
  await ada.getByRole('link', { name: /^Inbox/ }).click()
  await say(ben, 'Good morning, **Ada**')
  await ada.getByText('Good morning, Ada').first().waitFor()

  await ben.getByRole('button', { name: /account menu/ }).click()
  await ben.getByRole('menuitem', { name: 'Log out' }).click()
  await ben.getByLabel('Email').fill('ben@example.com')
  await ben.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await ben.getByRole('button', { name: 'Sign in' }).click()
  await ben.getByRole('button', { name: /account menu/ }).waitFor()

  assert.deepEqual(problems, [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
