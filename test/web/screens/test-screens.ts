import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { Role } from '#rules/role.ts'
import { submitPassword } from '../../browser.ts'
import type { Person } from '../../harness.ts'
import { type Cast, fillExample } from '../example.ts'
import { test } from '../in-chromium.ts'
import { inspect } from '../inspect.ts'
import { openStage, type Stage } from '../stage.ts'

/** The size of the window in which the screens are inspected first. */
const SIZE = { width: 1280, height: 800 }

type WholeCast = Cast & { gus: Person }

/** A page or dialog in one of its states. */
export type Screen = {
  /** The user who is logged in; none if omitted. */
  who?: (cast: WholeCast) => Person
  at: string
  /** Leads from the address to the screen. */
  steps?: (page: Page) => Promise<void>
  /** The element that must be visible before the screen is inspected. */
  shows: (page: Page) => ReturnType<Page['getByText']>
}

export const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name }).first()
export const button = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first()

/**
 * Checks each of the screens, one after the other in one organization, against WCAG 2.2 AA, in both themes and on a
 * phone.
 */
export function testScreens(what: string, screens: Readonly<Record<string, Screen>>): void {
  test(`${what}: every screen holds to WCAG 2.2 AA, light and dark, and fits 320 px`, async () => {
    const stage = await openStage()
    const cast = await fill(stage)
    const windows: Windows = new Map()
    const problems: string[] = []
    for (const [name, screen] of Object.entries(screens))
      problems.push(...(await show(await windowFor(stage, windows, cast, screen), name, screen)))

    assert.deepEqual(problems, [])
    assert.deepEqual(stage.complaints(), [])
    await stage.close()
  })
}

async function fill({ chat }: Stage): Promise<WholeCast> {
  const cast = await fillExample(chat)
  const gus = await chat.user('gus', { role: Role.guest, fullName: 'Gus Guest' })
  await submitPassword(chat, cast.cleo)
  await cast.ada.succeed('POST /default_streams', { stream_id: 1 })
  await cast.ada.succeed('POST /invites', { invitee_emails: 'dan@example.com, eve@example.com', stream_ids: [] })
  await cast.ada.succeed('POST /invites/multiuse', { max_uses: 5, allowed_domains: ['example.com'] })
  await chat.app.jobs.mail.settled()
  return { ...cast, gus }
}

/** Windows by user: opening another one takes longer than checking a screen. */
type Windows = Map<Person | undefined, Page>

/** Returns the window of the user who sees the screen, without anything from the previous screen. */
async function windowFor(stage: Stage, windows: Windows, cast: WholeCast, { who }: Screen): Promise<Page> {
  const person = who?.(cast)
  const known = windows.get(person)
  if (known !== undefined) {
    await known.unrouteAll({ behavior: 'ignoreErrors' })
    await known.evaluate(() => {
      localStorage.clear()
      sessionStorage.clear()
    })
    if (person === undefined) await known.context().clearCookies()
    // The previous screen does not have to adapt to the size of the next one.
    await known.goto('about:blank')
    await known.setViewportSize(SIZE)
    return known
  }
  const page = await stage.openWindow(SIZE)
  if (person !== undefined) await stage.signIn(page, person)
  windows.set(person, page)
  return page
}

/** Returns the problems of the screen, including a failure to open it. */
async function show(page: Page, name: string, { at, steps, shows }: Screen): Promise<string[]> {
  try {
    await page.goto(at)
    await steps?.(page)
    await shows(page).waitFor()
    return await inspect(page, name, { isLeft: true })
  } catch (error) {
    return [`${name}: ${String(error)}`]
  }
}
