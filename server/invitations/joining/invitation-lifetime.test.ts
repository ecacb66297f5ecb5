import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { onPostgres } from '../../../test/database.ts'
import { startChat } from '../../../test/harness.ts'
import { take } from '../../../test/invitation-model/actions.ts'
import { step } from '../../../test/invitation-model/steps.ts'
import { startWorld, type World } from '../../../test/invitation-model/world.ts'
import { sized } from '../../../test/size.ts'

/** Of one organization; the clock of all runs on. */
const STEPS = 100
const ORGANIZATIONS = onPostgres ? sized(3, 12) : sized(10, 60)
/** Steps that do anything: some find nothing to be done. */
const MIN_COUNT = ORGANIZATIONS * 80

/** Changes of the list that come of themselves, or of who may do what, are not told. */
const untold: ReadonlySet<string> = new Set(['wait', 'allow', 'change role'])

test('whatever happens to invitations, what comes of them is what the rules say', async (context) => {
  const chat = await startChat()
  const elsewhere = await chat.organization('elsewhere')
  let [runs, done, joined] = [0, 0, 0]

  const property = fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS }), async (steps) => {
    runs += 1
    const world = await startWorld(chat, elsewhere, `run-${runs}`)
    const tellings = await countTellings(world)
    for (const one of steps) {
      const before = world.model.list()
      const people = world.model.addresses.size
      const isDone = await take(world, one)
      const after = world.model.list()
      assert.deepEqual(await listed(world), after)
      const events = await tellings()
      if (!untold.has(one.does) && JSON.stringify(before) !== JSON.stringify(after))
        assert.notEqual(events, 0, one.does)
      if (isDone) done += 1
      joined += world.model.addresses.size - people
    }
    assert.deepEqual(await findLeftovers(world), [])
  })
  await fc.assert(property, { seed: 43, numRuns: ORGANIZATIONS })

  context.diagnostic(`${done} steps, ${joined} accounts`)
  assert.ok(done >= MIN_COUNT, `only ${done} steps did anything`)
})

/** The invitations and links as Ada lists them, as far as the model knows them. */
async function listed({ people }: World): Promise<object[]> {
  const { invites } = (await people['ada']?.succeed('GET /invites', { include_link_limits: true })) ?? { invites: [] }
  return invites.map((invite: Record<string, unknown>) => {
    const {
      invited: _,
      notify_referrer_on_join: __,
      is_multiuse: ___,
      link_url: ____,
      allowed_domains: _____,
      ...rest
    } = invite
    return rest
  })
}

/** How often Ada was told since the last time that the list has changed. */
async function countTellings({ chat, realm, people }: World): Promise<() => Promise<number>> {
  let after = 0
  return async () => {
    const rows = await chat.app.services.db
      .selectFrom('events')
      .select(['id', 'audience'])
      .where('realmId', '=', realm.id)
      .where('id', '>', after)
      .where('type', '=', 'invites_changed')
      .orderBy('id')
      .execute()
    after = rows.at(-1)?.id ?? after
    return rows.filter(({ audience }) => (JSON.parse(audience) as number[]).includes(people['ada']?.id as number))
      .length
  }
}

/** Mails that still wait to be sent of invitations that have ended. */
async function findLeftovers({ chat, realm }: World): Promise<object[]> {
  return chat.app.services.db
    .selectFrom('mails')
    .innerJoin('invitations', 'invitations.id', 'mails.invitationId')
    .select(['mails.id', 'recipient', 'endedAs'])
    .where('mails.realmId', '=', realm.id)
    .where('mails.state', '=', 'queued')
    .where('invitations.endedAt', 'is not', null)
    .execute()
}
