import path from 'node:path'
import { parseArgs } from 'node:util'
import { browserMissing, launchChromium } from '../../test/web/chromium.ts'
import { buildWeb, isWebBuilt } from '../../tools/web-build.mjs'
import { serveEmptyPage } from './empty-server.ts'
import { BIG, SMALL } from './organization.ts'
import { liveRows } from './rows/live.ts'
import { loadRows } from './rows/loads.ts'
import { openWebStage } from './web-stage.ts'
import { writeWebTable } from './web-table.ts'

const USAGE = `npm run bench:web                      measures the web client in Chromium, in a small and in a big organization
npm run bench:web -- --only WORD       measures the rows with this word in their name; can be repeated
npm run bench:web -- --small, --big    in one of the organizations only
npm run bench:web -- --slow            with a CPU that is four times slower
`

const { only, small, big, slow, help } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    small: { type: 'boolean' },
    big: { type: 'boolean' },
    slow: { type: 'boolean' },
    help: { type: 'boolean' },
  },
}).values
const rows = [...loadRows, ...liveRows].filter(({ name }) => only?.some((word) => name.includes(word)) ?? true)
if (help || rows.length === 0) {
  process.stdout.write(
    help ? USAGE : `Unknown row. The rows are:\n${[...loadRows, ...liveRows].map(({ name }) => name).join('\n')}\n`,
  )
  process.exit(help ? 0 : 2)
}
if (browserMissing !== false) throw new Error(browserMissing)

const root = path.join(import.meta.dirname, '../..')
if (!isWebBuilt(root)) {
  const complaint = await buildWeb(root)
  if (complaint !== null) throw new Error(complaint)
}
const empty = await serveEmptyPage()
const browser = await launchChromium()
const sizes = { ...((small || !big) && { small: SMALL }), ...((big || !small) && { big: BIG }) }
const columns = []
for (const [name, size] of Object.entries(sizes)) {
  await using stage = await openWebStage(browser, size, { emptyUrl: empty.url, slowDown: slow ? 4 : 1 })
  const values = []
  for (const row of rows) {
    process.stderr.write(`${name}: ${row.name} …\n`)
    values.push(await row.measure(stage))
  }
  columns.push({ name, bases: stage.bases, values })
}
await browser.close()
empty.close()
process.stdout.write(writeWebTable(rows, columns))
