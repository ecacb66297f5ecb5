import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import type { Random } from '#lib/secrets.ts'
import { countOwnStatements } from '../count-statements.ts'
import { onPostgres } from '../database.ts'
import { isLong, seed } from '../size.ts'
import { answerOf, callersOf, cells, sampleOf } from './cells.ts'
import { type Answer, type CallerName, callerNames, type Organization, startOrganization } from './organization.ts'
import { probesFor } from './probes.ts'
import { secrets, type Variant, variants } from './secrets.ts'
import { settings } from './table.ts'
import { openUndo } from './undone.ts'

// Two servers are equal, apart from a secret. All callers who may not know the secret make the same requests to both, and
// must get the same answers, byte for byte. Refusals of the table also take as many statements, so that their time says
// nothing. These differences are accepted:
// - ids, because they count the objects of everyone: both servers allocate the same ones, apart from those of events;
// - the number of messages and the size of all files, for the same reason: they are the same here;
// - names of channels that are taken: everyone who may create channels finds them out;
// - the presence of users whom limited guests do not see, and that they were deactivated;
// - the statements of searches, and of requests that name an address, which find the secret before they hide it.

/** The number of requests in a short run, for each secret. */
const SAMPLE = 100

type Request = {
  title: string
  caller: CallerName
  countsStatements: boolean
  send(organization: Organization): Promise<Answer>
}
type Outcome = Answer & { statements: number | null }

/** A source whose bytes depend on the last label alone, so that earlier requests do not matter. */
class LabelledRandom implements Random {
  #label = ''
  #drawn = 0

  restart(label: string): void {
    this.#label = label
    this.#drawn = 0
  }

  bytes(count: number): Buffer {
    this.#drawn += 1
    const seeds = Array.from({ length: Math.ceil(count / 64) }, (_, index) => `${this.#label} ${this.#drawn} ${index}`)
    return Buffer.concat(seeds.map((text) => hash('sha512', text, 'buffer'))).subarray(0, count)
  }
}

/** Returns the requests of those who may not know a secret. */
function requestsOf(knownTo: string): Request[] {
  const knowing = callersOf(knownTo)
  const fromTable = cells
    .filter(({ caller }) => !knowing.has(caller))
    .map((cell) => ({
      title: `${cell.row.route} on ${cell.target} by ${cell.caller}`,
      caller: cell.caller,
      countsStatements: true,
      send: (organization: Organization) => answerOf(organization, cell),
    }))
  const probes = callerNames
    .filter((caller) => !knowing.has(caller))
    .flatMap((caller) =>
      probesFor(Object.values(variants)).map((request) => ({
        title: `${request.route} ${JSON.stringify(request.params)} by ${caller}`,
        caller,
        countsStatements: false,
        send: ({ callers }: Organization) => callers[caller].send(request),
      })),
    )
  return [...fromTable, ...probes]
}

/** Starts an organization, creates the secret in it, and returns the outcome of each request. */
async function outcomesIn(
  variant: Variant,
  { keep }: (typeof secrets)[string],
  requests: readonly Request[],
): Promise<{ outcomes: Outcome[]; known: string }> {
  const random = new LabelledRandom()
  const organization = await startOrganization(settings, { random })
  const queues = await openQueues(organization)
  random.restart('secret')
  await keep(organization, variant)
  const { sue, otto } = organization.others
  const known = JSON.stringify([await sue.succeed('POST /register'), await otto.succeed('POST /register')])
  const outcomes: Outcome[] = []
  const record = async (ask: () => Promise<Answer>, countsStatements = false) => {
    random.restart(`request ${outcomes.length}`)
    const answers: Answer[] = []
    const statements = await countOwnStatements(async () => answers.push(await ask()))
    const [{ status, headers, body }] = answers as [Answer]
    outcomes.push({
      status,
      headers: { ...headers, date: null },
      body: body.replace(/"last_event_id":\d+/, '"last_event_id":null'),
      statements: countsStatements && status !== 200 ? statements : null,
    })
  }
  for (const [caller, queue_id] of queues) {
    const params = { queue_id, last_event_id: -1, dont_block: true }
    await record(() => organization.callers[caller].send({ route: 'GET /events', params }))
  }
  const undo = await openUndo(organization.chat)
  for (const { send, countsStatements } of requests)
    await undo(() => record(() => send(organization), countsStatements))
  return { outcomes, known }
}

/** Registers queues for everyone who can. */
async function openQueues({ callers }: Organization): Promise<[CallerName, string][]> {
  const queues: [CallerName, string][] = []
  for (const name of callerNames) {
    const { body } = await callers[name].send({ route: 'POST /register', params: { include_subscribers: true } })
    queues.push([name, JSON.parse(body).queue_id ?? 'none'])
  }
  return queues
}

for (const [title, secret] of Object.entries(secrets)) {
  const skip = onPostgres && 'changes are undone on SQLite'
  test(`secrets are kept from ${title}`, { skip }, async (context) => {
    const knowing = callersOf(secret.knownTo)
    const all = requestsOf(secret.knownTo)
    const requests = isLong ? all : sampleOf(all, SAMPLE)
    context.diagnostic(`${requests.length} of ${all.length} requests, PARLEY_TEST_SEED=${seed}`)

    const one = await outcomesIn(variants.one, secret, requests)
    const other = await outcomesIn(variants.other, secret, requests)

    const titles = [...callerNames.map((name) => `GET /events by ${name}`), ...requests.map((request) => request.title)]
    const callers = [...callerNames, ...requests.map(({ caller }) => caller)]
    const different = titles.flatMap((request, index) => {
      if (knowing.has(callers[index] as CallerName)) return []
      const [first, second] = [one.outcomes[index], other.outcomes[index]].map((outcome) => JSON.stringify(outcome))
      return first === second ? [] : [`${request}: ${differenceOf(first ?? '', second ?? '')}`]
    })
    assert.notEqual(one.known, other.known, 'nobody can see the secret')
    assert.deepEqual(different, [], `PARLEY_TEST_SEED=${seed}`)
  })
}

/** Returns the first part in which two texts differ. */
function differenceOf(one: string, other: string): string {
  let start = 0
  while (one[start] === other[start]) start += 1
  const part = (text: string) => text.slice(Math.max(0, start - 60), start + 60)
  return `${part(one)} ≠ ${part(other)}`
}
