import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { takesScreenshots } from '../size.ts'
import { resize } from './resize.ts'
import { untilDrawn } from './until-drawn.ts'

const SCREENSHOTS = path.join(import.meta.dirname, '../../.cache/screenshots')
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** WCAG 2.2, levels A and AA. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** The rules that a second theme or layout can break even if the first one passes. */
const RULES_OF_THEME = ['color-contrast']
const RULES_OF_LAYOUT = ['target-size', 'scrollable-region-focusable', 'aria-hidden-focus']

type Violation = { id: string; help: string; nodes: { target: string[]; failureSummary?: string }[] }

/**
 * Returns the violations of WCAG 2.2 AA in both themes and on a phone, and the elements that need horizontal scrolling
 * at 320 px. It takes screenshots of what has problems, or of everything if `takesScreenshots`, and restores the width
 * of the window unless the page `isLeft` afterwards.
 */
export async function inspect(page: Page, name: string, { isLeft = false } = {}): Promise<string[]> {
  const problems: string[] = []
  async function note(look: string, found: readonly string[]): Promise<void> {
    problems.push(...found.map((one) => `${name}, ${look}: ${one}`))
    if (!takesScreenshots && found.length === 0) return
    mkdirSync(SCREENSHOTS, { recursive: true })
    await page.screenshot({ type: 'jpeg', quality: 80, path: path.join(SCREENSHOTS, `${name}-${look}.jpg`) })
  }
  const size = page.viewportSize() ?? { width: 1280, height: 800 }

  // Scripts that the debugging protocol evaluates are exempt from the page's content security policy.
  await page.evaluate(axeSource)
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await untilDrawn(page)
    await note(theme, await violationsOf(page, theme === 'light' ? RULES : RULES_OF_THEME))
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await resize(page, { width: 320, height: 720 })
  await note('phone', [...(await violationsOf(page, RULES_OF_LAYOUT)), ...(await widerThanWindow(page))])
  if (!isLeft) await resize(page, size)
  return problems
}

async function violationsOf(page: Page, rules: readonly string[]): Promise<string[]> {
  const violations: Violation[] = await page.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<{ violations: [] }> } }
    // None of the rules reads style sheets, which axe would load again.
    return (await axe.run({ runOnly: rules, resultTypes: ['violations'], preload: false })).violations
  }, rules)
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(' ')}: ${failureSummary ?? ''}`),
  )
}

/** Returns the elements that are wider than the window, or whose content is wider than they are. */
const widerThanWindow = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('main, .dialog-body, .card')]
      .filter((element) => element.scrollWidth > element.clientWidth + 1)
      .map((element) => `${element.tagName}.${element.className}: ${element.scrollWidth} > ${element.clientWidth}`),
  )
