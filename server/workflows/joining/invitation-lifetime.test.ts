import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onPostgres } from '../../../test/database.ts'
import { fc } from '../../../test/fast-check.ts'
import { startChat } from '../../../test/harness.ts'
import { run } from '../../../test/invitation-model/actions.ts'
import { step } from '../../../test/invitation-model/steps.ts'
import { startWorld, type World } from '../../../test/invitation-model/world.ts'
import { sized } from '../../../test/size.ts'

/** The number of steps in each organization. Steps advance the clock of all organizations. */
const STEPS = 100
const ORGANIZATIONS = onPostgres ? sized(3, 12) : sized(10, 60)
/** The minimum number of steps that have an effect. Some steps find nothing to do. */
const MIN_COUNT = ORGANIZATIONS * 80

/** The steps that emit no event, because they change the list only through time or permissions. */
const notEmitted: ReadonlySet<string> = new Set(['wait', 'allow', 'change role'])

test('after any sequence of steps, invitations are in the state that the rules require', async (context) => {
  const chat = await startChat()
  const elsewhere = await chat.organization('elsewhere')
  let [runs, done, joined] = [0, 0, 0]

  const property = fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS }), async (steps) => {
    runs += 1
    const world = await startWorld(chat, elsewhere, `run-${runs}`)
    const eventCount = await countEvents(world)
    for (const one of steps) {
      const before = world.model.list()
      const people = world.model.addresses.size
      const isDone = await run(world, one)
      const after = world.model.list()
      assert.deepEqual(await listed(world), after)
      const events = await eventCount()
      if (!notEmitted.has(one.does) && JSON.stringify(before) !== JSON.stringify(after))
        assert.notEqual(events, 0, one.does)
      if (isDone) done += 1
      joined += world.model.addresses.size - people
    }
    assert.deepEqual(await findQueuedMails(world), [])
  })
  await fc.assert(property, { seed: 43, numRuns: ORGANIZATIONS })

  context.diagnostic(`${done} steps, ${joined} accounts`)
  assert.ok(done >= MIN_COUNT, `only ${done} steps did anything`)
})

/** Returns the invitations and links in Ada's list, with only those fields that the model has. */
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

/** Returns a function that returns the number of events about the list that Ada has received since its last call. */
async function countEvents({ chat, realm, people }: World): Promise<() => Promise<number>> {
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

/** Returns the queued emails of invitations that have ended or expired. */
async function findQueuedMails({ chat, realm }: World): Promise<object[]> {
  return chat.app.services.db
    .selectFrom('mails')
    .innerJoin('invitations', 'invitations.id', 'mails.invitationId')
    .select(['mails.id', 'recipient', 'endedAs'])
    .where('mails.realmId', '=', realm.id)
    .where('mails.state', '=', 'queued')
    .where('invitations.endedAt', 'is not', null)
    .execute()
}
