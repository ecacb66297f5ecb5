import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { viteBuild } from '../tools/vite-build.mjs'
import { leaveServerCore, profileInto } from './child.ts'
import { contentRows } from './rows/content.ts'
import { eventRows } from './rows/events.ts'
import { messageRows } from './rows/messages.ts'
import { presenceRows } from './rows/presence.ts'
import { startRow } from './rows/start.ts'
import { writeRows } from './rows/writes.ts'
import { seededRandom } from './seeded-random.ts'
import { type Outcome, toResultJson, writeTable } from './table.ts'

const rows = [...presenceRows, ...messageRows, ...contentRows, ...writeRows, ...eventRows, startRow]
const { only, profile } = parseArgs({
  options: { only: { type: 'string', multiple: true }, profile: { type: 'string' } },
}).values
if (profile !== undefined) profileInto(profile)
const chosen = only === undefined ? rows : rows.filter((row) => only.includes(row.name))
if (chosen.length === 0) {
  process.stderr.write(`There is no such row. There are: ${rows.map((row) => row.name).join(', ')}\n`)
  process.exit(2)
}

const complaint = await viteBuild(path.dirname(import.meta.dirname), 'bench', 'dist', process.execPath)
if (complaint !== null) throw new Error(complaint)
if (!leaveServerCore())
  process.stderr.write('Without taskset and a second core, server and driver disturb each other.\n')
const home = await mkdtemp(path.join(tmpdir(), 'parley-bench-'))
const outcomes: Outcome[] = []
try {
  for (const row of chosen) {
    process.stderr.write(`${row.name} …\n`)
    const newFolder = () => mkdtemp(path.join(home, 'disk-'))
    outcomes.push({ row, measurement: await row.measure({ random: seededRandom(20), newFolder }) })
  }
} finally {
  await rm(home, { recursive: true, force: true })
}
process.stdout.write(`${writeTable(outcomes)}\n`)
await writeFile(
  new URL('results.json', import.meta.url),
  `[\n${outcomes.map((outcome) => `  ${JSON.stringify(toResultJson(outcome))}`).join(',\n')}\n]\n`,
)
