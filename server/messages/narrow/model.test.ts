import assert from 'node:assert/strict'
import test from 'node:test'
import { onPostgres } from '../../../test/database.ts'
import { fc } from '../../../test/fast-check.ts'
import type { Body, Person } from '../../../test/harness.ts'
import { type Fact, factsOf, matchesTerm, type Term } from '../../../test/narrow/narrow-rules.ts'
import { actions, runAction, startWorld, TOPICS, type World } from '../../../test/narrow/narrow-world.ts'
import { sized } from '../../../test/size.ts'

const RUNS = onPostgres ? sized(1, 3) : sized(2, 6)
const NARROWS = 60

/** A term that can be built for any world. `index` selects from the lists of the world. */
type TermTemplate = { kind: string; word: string; index: number; negated: boolean }

const kinds = {
  channel: [''],
  channels: ['public', 'web-public'],
  topic: [...TOPICS],
  dm: [''],
  'dm-including': [''],
  'group-pm-with': [''],
  sender: ['', 'me'],
  id: [''],
  in: ['home', 'all'],
  near: ['1'],
  has: ['link', 'image', 'attachment', 'reaction'],
  is: ['dm', 'private', 'starred', 'mentioned', 'unread', 'resolved', 'muted', 'followed', 'alerted'],
  search: ['lunch', 'tomorrow', 'cafe', 'tea', 'naive', '"lunch plans"', '"plans lunch"', 'absent'],
} as const

const termTemplates: fc.Arbitrary<TermTemplate> = fc
  .constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[]))
  .chain((kind) =>
    fc.record({
      kind: fc.constant(kind),
      word: fc.constantFrom(...kinds[kind]),
      index: fc.nat(60),
      negated: fc.boolean().map((negated) => negated && kind !== 'near'),
    }),
  )

function toTerm(
  { people, channels }: World,
  ids: readonly number[],
  { kind, word, index, negated }: TermTemplate,
): Term {
  const person = people[index % people.length]?.id ?? 0
  const other = people[(index >> 3) % people.length]?.id ?? 0
  const operands: Record<string, Term['operand']> = {
    channel: channels[index % channels.length]?.[index % 2 === 0 ? 'name' : 'id'] ?? '',
    dm: index % 3 === 0 ? [person, other] : [person],
    'dm-including': person,
    'group-pm-with': person,
    sender: word === '' ? person : word,
    id: index % 2 === 0 ? String(ids[index % ids.length] ?? 1) : (ids[index % ids.length] ?? 1),
  }
  return { operator: kind, operand: operands[kind] ?? word, negated }
}

const OPENING = new Set(['channel', 'channels', 'id'])

/** Returns the ids of the messages that the person must find according to the rules. */
function expected(world: World, person: Person, listable: readonly Fact[], terms: readonly Term[]): number[] {
  const opens = terms.some(({ operator, negated }) => !negated && OPENING.has(operator))
  return listable
    .filter((fact) => opens || fact.flags !== null)
    .filter((fact) => terms.every((term) => matchesTerm(world, person, fact, term) !== term.negated))
    .map((fact) => fact.id)
}

const idsOf = (page: Body): number[] => page['messages'].map((message: { id: number }) => message.id)

/** Lists also contain the messages of web-public channels, which guests cannot fetch by their ids. */
async function listableTo(world: World, person: Person): Promise<Fact[]> {
  const facts = await factsOf(world, person)
  const responses = await Promise.all(facts.map(({ id }) => person.call(`GET /messages/${id}`)))
  return facts.filter(({ isWebPublic }, index) => isWebPublic || responses[index]?.status === 200)
}

async function checkNarrow(world: World, person: Person, listable: readonly Fact[], terms: Term[], index: number) {
  const all = await person.call('GET /messages', { anchor: 'newest', num_before: 900, num_after: 0, narrow: terms })
  if (all.code === 'BAD_NARROW') return assert.match(all.msg, /unknown (channel|user)|both a channel message/)
  const expectedIds = expected(world, person, listable, terms)
  assert.deepEqual(idsOf(all), expectedIds, JSON.stringify({ person: person.email, terms }))

  const anchor = expectedIds[index % Math.max(1, expectedIds.length)] ?? index
  const position = expectedIds.filter((id) => id < anchor).length
  const page = await person.succeed('GET /messages', { anchor, num_before: 2, num_after: 1, narrow: terms })
  const around = [
    ...expectedIds.slice(Math.max(0, position - 2), position),
    ...expectedIds.slice(position, position + (page['found_anchor'] ? 2 : 1)),
  ]
  assert.deepEqual(idsOf(page), around)
  assert.equal(page['found_anchor'], expectedIds.includes(anchor))
}

async function checkFirstUnread(person: Person, listable: readonly Fact[]) {
  const page = await person.succeed('GET /messages', { anchor: 'first_unread', num_before: 0, num_after: 1 })
  const unread = listable.filter((fact) => !fact.isMuted && fact.flags?.includes('read') === false)
  assert.equal(page['anchor'], unread[0]?.id ?? 10_000_000_000_000_000, person.email)
}

test('message lists follow the rules and contain no messages that cannot be fetched by their ids, except in web-public channels', async () => {
  const property = fc.asyncProperty(
    fc.array(actions, { minLength: 40, maxLength: 70 }),
    fc.array(fc.array(termTemplates, { maxLength: 3 }), { minLength: NARROWS, maxLength: NARROWS }),
    async (done, narrows) => {
      const world = await startWorld()
      for (const action of done) await runAction(world, action)
      const ids = (await factsOf(world, world.people[0] as Person)).map((fact) => fact.id)

      for (const [turn, person] of world.people.entries()) {
        const listable = await listableTo(world, person)
        const byIds = await person.succeed('GET /messages', { message_ids: ids })
        assert.deepEqual(
          idsOf(byIds),
          listable.map((fact) => fact.id),
        )
        await checkFirstUnread(person, listable)
        for (const [index, narrow] of narrows.entries()) {
          if (index % world.people.length !== turn && narrow.length > 0) continue
          const terms = narrow.map((template) => toTerm(world, ids, template))
          await checkNarrow(world, person, listable, terms, index)
        }
      }
    },
  )
  await fc.assert(property, { numRuns: RUNS, endOnFailure: true })
})
