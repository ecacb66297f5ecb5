import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { accept, keyOfInvitation } from '../joining.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage, type Stage } from './stage.ts'

type Office = { stage: Stage; cast: Awaited<ReturnType<typeof fillExample>> }

type InvitationPage = {
  heading: RegExp
  says?: string
  offers?: string
  lead(office: Office, window: Page): Promise<{ key: string; page: Page }>
}

const invitation = ({ stage, cast }: Office, params = {}) =>
  keyOfInvitation(stage.chat, cast.ada, 'new@example.com', params)

/** The pages of invitations that cannot be accepted, and how a test gets to them. */
const pages: Readonly<Record<string, InvitationPage>> = {
  unknown: {
    heading: /Invitation not found/,
    lead: async (_, page) => ({ key: 'a'.repeat(32), page }),
  },
  expired: {
    heading: /This invitation has expired/,
    offers: 'Ask Ada Lovelace for a new one',
    async lead(office, page) {
      const key = await invitation(office, { invite_expires_in_minutes: 10 })
      await office.stage.chat.clock.advance(3600)
      return { key, page }
    },
  },
  withdrawn: {
    heading: /This invitation was revoked/,
    async lead(office, page) {
      const key = await invitation(office)
      const { invites } = await office.cast.ada.succeed('GET /invites')
      await office.cast.ada.succeed(`DELETE /invites/${invites.at(-1).id}`)
      return { key, page }
    },
  },
  used: {
    heading: /This invitation has been used/,
    async lead(office, page) {
      const key = await invitation(office)
      await accept(office.stage.chat, key)
      return { key, page }
    },
  },
  'a member already': {
    heading: /Welcome back/,
    says: 'You already have an account with this address. Sign in with it.',
    offers: 'Sign in',
    async lead(office, page) {
      const key = await invitation(office)
      await office.cast.ada.succeed('POST /users', {
        email: 'new@example.com',
        full_name: 'New',
        password: 'correct horse battery',
      })
      return { key, page }
    },
  },
  'logged in as another user': {
    heading: /You are logged in as Ben Bitdiddle/,
    offers: 'Continue as Ben Bitdiddle',
    async lead(office) {
      return { key: await invitation(office), page: await office.stage.openAs(office.cast.ben, '/') }
    },
  },
}

async function checkPage(name: string, { heading, says, offers, lead }: InvitationPage): Promise<void> {
  const stage = await openStage()
  const cast = await fillExample(stage.chat)

  const { key, page } = await lead({ stage, cast }, await stage.openWindow())
  await page.goto(`/accounts/do_confirm/${key}`)

  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  if (says !== undefined) await page.getByText(says).waitFor()
  if (offers !== undefined)
    await page
      .getByRole('button', { name: offers })
      .or(page.getByRole('link', { name: offers }))
      .first()
      .waitFor()
  assert.deepEqual(await inspect(page, `invitation-${name.replaceAll(' ', '-')}`), [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
}

for (const [name, one] of Object.entries(pages))
  test(`a link that cannot be used says so: ${name}`, () => checkPage(name, one))
