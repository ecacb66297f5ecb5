import type { Page } from 'playwright-core'
import { median, percentile } from '../../percentile.ts'
import { timeScrolling, timeSwitch } from '../in-page.ts'
import type { WebRow } from '../row.ts'
import type { WebStage } from '../web-stage.ts'

const SWITCHES = 12
const MESSAGES = 50
const KEYS = 150

/** Pixels that each frame scrolls. */
const STEP = 400

/** The duration in milliseconds of keys that are too fast for the Event Timing API. */
const UNREPORTED = 8

export const liveRows: readonly WebRow[] = [
  {
    name: 'switch to a cached conversation',
    unit: 'ms',
    multipleOf: 'fib',
    goal: [50, 60],
    async measure(stage) {
      const page = await openConversation(stage)
      const times: number[] = []
      for (let at = 0; at < SWITCHES; at += 1) {
        const topic = at % 2 === 0 ? 'second' : 'first'
        times.push(await page.evaluate(timeSwitch, `.pane-topics a[href$="topic=${topic}"]`))
        await page.waitForTimeout(300)
      }
      await page.close()
      return median(times.slice(2))
    },
  },
  {
    name: 'main thread per message in another conversation',
    unit: 'ms',
    multipleOf: 'fib',
    goal: [4, 6],
    async measure(stage) {
      const page = await openConversation(stage)
      const arrive = () => stage.send({ topics: stage.elsewhere, count: MESSAGES, pauseMs: 80 })
      const rounds: number[] = []
      for (let round = 0; round < 3; round += 1) {
        const idle = await mainThreadTime(page, () => page.waitForTimeout(2000))
        const busy = await mainThreadTime(page, async () => {
          await arrive()
          await page.waitForTimeout(300)
        })
        rounds.push((busy.cpu - (idle.cpu / idle.wall) * busy.wall) / MESSAGES)
      }
      await page.close()
      return median(rounds)
    },
  },
  {
    name: 'typing at 20 messages a second, p95',
    unit: 'ms',
    multipleOf: 'fib',
    goal: [24, 32],
    async measure(stage) {
      const page = await openConversation(stage)
      const input = page.locator('.composer textarea')
      await input.click()
      await page.evaluate(() => {
        globalThis.benchMarks.keys.length = 0
      })
      // Every fourth message arrives in the open conversation.
      const topics = Array.from({ length: 60 }, (_, at) =>
        at % 4 === 0 ? stage.pair[0] : stage.elsewhere[at % stage.elsewhere.length]!,
      )
      const sending = stage.send({ topics, count: 200, pauseMs: 50 })
      for (let at = 0; at < KEYS; at += 1) {
        await page.keyboard.press(at % 6 === 5 ? 'Space' : 'abcdefghij'[at % 10]!)
        await page.waitForTimeout(40)
      }
      await sending
      await input.fill('')
      const reported = await page.evaluate(() => globalThis.benchMarks.keys)
      await page.close()
      return percentile([...reported, ...Array(Math.max(0, KEYS - reported.length)).fill(UNREPORTED)], 0.95)
    },
  },
  {
    name: 'longest frame while scrolling 2,000 messages',
    unit: 'ms',
    multipleOf: 'fib',
    goal: [50, 50],
    async measure(stage) {
      const page = await stage.openWindow()
      await stage.load(page, stage.addressOf(stage.long))
      await page.waitForTimeout(500)
      // It opens at the first unread message, and is read at the end.
      const frames: number[] = []
      for (const step of [STEP, -STEP, STEP]) frames.push((await page.evaluate(timeScrolling, step)).longest)
      await page.close()
      return median(frames)
    },
  },
]

/** Opens the first topic of the pair, with the second one in the cache and everything else loaded. */
async function openConversation(stage: WebStage): Promise<Page> {
  const page = await stage.openWindow()
  await stage.load(page, stage.addressOf(stage.pair[0]))
  // The client loads what later pages need four seconds after it starts.
  await page.waitForTimeout(6000)
  return page
}

/** Returns the CPU time of the page's main thread while `run` runs, and the time on the clock, in milliseconds. */
async function mainThreadTime(page: Page, run: () => Promise<unknown>): Promise<{ cpu: number; wall: number }> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const read = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    const values = new Map(metrics.map(({ name, value }) => [name, value]))
    return { cpu: values.get('ThreadTime') ?? values.get('TaskDuration') ?? Number.NaN, wall: performance.now() }
  }
  const before = await read()
  await run()
  const after = await read()
  await session.detach()
  return { cpu: (after.cpu - before.cpu) * 1000, wall: after.wall - before.wall }
}
