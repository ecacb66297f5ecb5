import { median } from '../../percentile.ts'
import type { WebRow } from '../row.ts'
import { PHONE, type WebStage } from '../web-stage.ts'

const LOADS = 5

export const loadRows: readonly WebRow[] = [
  {
    name: 'cold load of a conversation to usable',
    unit: 'ms',
    multipleOf: 'emptyCold',
    goal: [1000, 1200],
    async measure(stage) {
      const times: number[] = []
      for (let round = 0; round < LOADS; round += 1) {
        const page = await stage.openWindow()
        times.push(await stage.load(page, stage.addressOf(stage.pair[0])))
        await page.close()
      }
      return median(times)
    },
  },
  {
    name: 'warm load of a conversation to usable',
    unit: 'ms',
    multipleOf: 'emptyWarm',
    goal: [300, 400],
    async measure(stage) {
      const page = await stage.openWindow()
      const times: number[] = []
      // The first load fills the caches, and the second lets the browser compile what it has seen twice.
      for (let round = 0; round < LOADS + 2; round += 1) {
        times.push(await stage.load(page, stage.addressOf(stage.pair[0])))
        await page.waitForTimeout(1000)
      }
      await page.close()
      return median(times.slice(2))
    },
  },
  shiftRow('layout shift, desktop', undefined),
  shiftRow('layout shift, phone', PHONE),
  scriptRow('scripts of a conversation', (stage) => stage.addressOf(stage.pair[0])),
  scriptRow('scripts of the inbox', () => '/inbox'),
]

/** Returns the pages whose layout is observed, with what they show when they are usable. */
const pagesOf = (stage: WebStage): [string, string[]][] => [
  ['/inbox', ['.inbox a']],
  [stage.addressOf(stage.long), ['.timeline [data-message]']],
  [stage.addressOf(stage.pair[0]), ['.timeline [data-message]']],
  ['/combined', ['.timeline [data-message]']],
]

/** Returns the row with the largest sum of the layout shifts of a page in the two seconds after it is usable. */
function shiftRow(name: string, viewport: typeof PHONE | undefined): WebRow {
  return {
    name,
    unit: 'shift',
    multipleOf: null,
    goal: [0.02, 0.02],
    async measure(stage) {
      const shifts: number[] = []
      for (const [url, selectors] of pagesOf(stage)) {
        const page = await stage.openWindow(viewport)
        await stage.load(page, url, selectors)
        await page.waitForTimeout(2000)
        shifts.push(await page.evaluate(() => globalThis.benchMarks.shift))
        await page.close()
      }
      return Math.max(...shifts)
    },
  }
}

/** Returns the row with the transferred bytes of the scripts that are requested before the page is usable. */
function scriptRow(name: string, addressOf: (stage: WebStage) => string): WebRow {
  return {
    name,
    unit: 'KB',
    multipleOf: null,
    goal: [200, 200],
    async measure(stage) {
      const page = await stage.openWindow()
      const sizes: Promise<number>[] = []
      page.on('requestfinished', (request) => {
        if (request.resourceType() === 'script') sizes.push(request.sizes().then((size) => size.responseBodySize))
      })
      const address = addressOf(stage)
      await stage.load(page, address, [address === '/inbox' ? '.inbox a' : '.composer textarea'])
      await page.waitForTimeout(500)
      const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
      await page.close()
      return total / 1024
    },
  }
}
