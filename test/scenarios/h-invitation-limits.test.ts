import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startServer } from './server.ts'
import type { Answer } from './wire.ts'
import type { Person } from './world.ts'

const server = await startServer()
await server.freeze()

const addresses = (count: number, name = 'new') => Array.from({ length: count }, (_, at) => `${name}${at}@x.com`).join()

const invite = (person: Person, invitee_emails: string) =>
  person.call('POST /invites', { invitee_emails, stream_ids: [] })

/** Enables the creation of organizations, and thereby the daily limits, until the end of the test. */
async function withLimits(context: TestContext): Promise<void> {
  await server.testing('PATCH /testing/settings', { OPEN_REALM_CREATION: true })
  context.after(() => server.testing('PATCH /testing/settings', { OPEN_REALM_CREATION: false }))
}

function limited({ status, body }: Answer, which: 'daily' | 'license'): void {
  assert.deepEqual([status, body.result, body.code], [400, 'error', 'INVITATION_FAILED'])
  assert.deepEqual(body.errors, [])
  assert.equal(body.sent_invitations, false)
  assert.equal(body.daily_limit_reached, which === 'daily')
  assert.equal(body.license_limit_reached, which === 'license')
}

test('115: a self-hosted server has no daily limit', async () => {
  const { alice } = await server.world({ settings: { max_invites: 3 } })

  assert.equal((await invite(alice, addresses(150))).status, 200)
  assert.equal((await server.mail()).length, 150)
})

test('116: every requested address counts, including those of existing accounts', async (context) => {
  await withLimits(context)
  const { alice, bob } = await server.world({ settings: { max_invites: 5 } })
  assert.equal((await invite(alice, addresses(4))).status, 200)

  limited(await invite(alice, `one@x.com,${bob.email}`), 'daily')
  assert.equal((await server.mail()).length, 4)
  assert.equal((await invite(bob, 'one@x.com')).status, 200)
  limited(await invite(alice, 'two@x.com'), 'daily')
})

test('116: each organization has its own count for all of its users', async (context) => {
  await withLimits(context)
  const [one, other] = [
    await server.world({ settings: { max_invites: 2 } }),
    await server.world({ settings: { max_invites: 2 } }),
  ]

  assert.equal((await invite(one.alice, addresses(2))).status, 200)

  limited(await invite(one.owner, 'more@x.com'), 'daily')
  assert.equal((await invite(other.alice, addresses(2))).status, 200)
})

test('116: resent invitations count, and are refused at the limit', async (context) => {
  await withLimits(context)
  const { alice } = await server.world({ settings: { max_invites: 2 } })
  await invite(alice, 'new@x.com')
  const [{ id }] = (await alice.succeed('GET /invites')).invites

  await alice.succeed(`POST /invites/${id}/resend`)

  limited(await invite(alice, 'other@x.com'), 'daily')
  limited(await alice.call(`POST /invites/${id}/resend`), 'daily')
})

test('117: two days later users can invite again', async (context) => {
  await withLimits(context)
  const { alice } = await server.world({ settings: { max_invites: 1 } })
  await invite(alice, 'new@x.com')
  limited(await invite(alice, 'other@x.com'), 'daily')

  await server.advance(2 * 86_400)

  assert.equal((await invite(alice, 'other@x.com')).status, 200)
})

test('118: the limit is checked before the addresses', async (context) => {
  await withLimits(context)
  const { alice } = await server.world({ settings: { max_invites: 0 } })

  limited(await invite(alice, 'noatsign'), 'daily')
})

test('119: without free licenses, no one can be invited', async () => {
  const world = await server.world()
  const { members } = await world.owner.succeed('GET /users')
  const counts = (user: Answer['body']) => user.is_active && !user.is_bot && user.role !== 600
  const used = members.filter(counts).length
  await world.changeSettings({ license_limit: used + 1 })

  limited(await invite(world.alice, 'one@x.com,two@x.com'), 'license')
  assert.deepEqual(await server.mail(), [])
  assert.equal((await invite(world.alice, 'one@x.com')).status, 200)
})
