/** Measures how long the compose box takes to rank 10,000 people after each key: `node bench/completion.ts`. */
import { rank, toSearchIndex } from '../web/ui/rank.ts'

const PEOPLE = 10_000
const GIVEN = ['Ada', 'Ben', 'Cleo', 'Dana', 'Emil', 'Farah', 'Guido', 'Hanna', 'Zoë', '小明', 'Olga', 'Søren']
const FAMILY = ['Lovelace', 'Bitdiddle', 'Hopper', 'Whitfield', 'Novák', 'Aziz', 'Rossi', 'Virtanen', 'Müller', '王']

const names = Array.from(
  { length: PEOPLE },
  (_, at) => `${GIVEN[at % GIVEN.length]} ${FAMILY[Math.floor(at / GIVEN.length) % FAMILY.length]} ${at}`,
)
const built = performance.now()
const index = toSearchIndex(names, (name) => name)
const buildTime = performance.now() - built

/** Repetitions of each key, since the clock of CPU time is coarse. */
const ROUNDS = 20

const times: number[] = []
for (const word of ['hanna virt', 'ada lovelace 12', 'muller', 'zz', '王', 'e'])
  for (let end = 1; end <= word.length; end++) {
    const start = process.cpuUsage()
    for (let round = 0; round < ROUNDS; round++) rank(index, word.slice(0, end), 8)
    const { user, system } = process.cpuUsage(start)
    times.push((user + system) / 1000 / ROUNDS)
  }

times.sort((one, other) => one - other)
const at = (part: number) => times[Math.floor((times.length - 1) * part)]!.toFixed(1)
process.stdout.write(
  `${PEOPLE} people: index ${buildTime.toFixed(1)} ms; CPU for each key: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1)} ms\n`,
)
