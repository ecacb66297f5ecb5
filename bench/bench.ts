import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { viteBuild } from '../tools/vite-build.mjs'
import { leaveServerCore, profileInto } from './child.ts'
import { openDisk } from './disk.ts'
import { cacheCostRows } from './rows/cachecost.ts'
import { eventRows } from './rows/events.ts'
import { hostileRows } from './rows/hostile.ts'
import { largeRows } from './rows/large.ts'
import { messageRows } from './rows/messages.ts'
import { presenceRows } from './rows/presence.ts'
import { scaleRows } from './rows/scale.ts'
import { startRow } from './rows/start.ts'
import { writeRows } from './rows/writes.ts'
import { seededRandom } from './seeded-random.ts'
import { type Outcome, toResultJson, writeTable } from './table.ts'
import { writeCosts } from './unit-cost.ts'

const USAGE = `npm run bench                      measures all rows, and writes them to bench/results.json, too
npm run bench -- --only NAME       measures one row, or the rows that begin with NAME and a hyphen; can be repeated
npm run bench -- --postgres        on PostgreSQL, for information: the goals are those of SQLite
npm run bench -- --profile FOLDER  leaves there a CPU profile of each process that is measured
`

const rows = [
  ...presenceRows,
  ...messageRows,
  ...writeRows,
  ...eventRows,
  startRow,
  ...cacheCostRows,
  ...largeRows,
  ...hostileRows,
  ...scaleRows,
]
const { only, postgres, profile, help } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    postgres: { type: 'boolean', default: false },
    profile: { type: 'string' },
    help: { type: 'boolean' },
  },
}).values
if (help) {
  process.stdout.write(USAGE)
  process.exit(0)
}
if (profile !== undefined) profileInto(profile)
const chosen =
  only === undefined
    ? rows
    : rows.filter(({ name }) => only.some((word) => name === word || name.startsWith(`${word}-`)))
if (chosen.length === 0) {
  process.stderr.write(`Unknown row. The rows are: ${rows.map((row) => row.name).join(', ')}\n`)
  process.exit(2)
}

const complaint = await viteBuild(path.dirname(import.meta.dirname), 'bench', 'dist', process.execPath)
if (complaint !== null) throw new Error(complaint)
if (!leaveServerCore())
  process.stderr.write('Without taskset and a second core, server and driver disturb each other.\n')
const outcomes: Outcome[] = []
{
  await using disk = await openDisk({ postgres })
  for (const row of chosen) {
    if (row.skip) {
      process.stderr.write(`${row.name} is skipped: ${row.skip}\n`)
      continue
    }
    process.stderr.write(`${row.name} …\n`)
    outcomes.push({ row, measurement: await row.measure({ random: seededRandom(20), disk }) })
  }
}
process.stdout.write(`${writeTable(outcomes, { isJudged: !postgres })}\n`)
const costs = outcomes.flatMap(({ measurement }) => measurement.costs ?? [])
if (costs.length > 0) {
  process.stdout.write(`\n${writeCosts(costs)}\n`)
  await writeFile(new URL('results-scale.json', import.meta.url), `${JSON.stringify(costs, null, 2)}\n`)
}
await writeFile(
  new URL(postgres ? 'results-postgres.json' : 'results.json', import.meta.url),
  `[\n${outcomes.map((outcome) => `  ${JSON.stringify(toResultJson(outcome))}`).join(',\n')}\n]\n`,
)
