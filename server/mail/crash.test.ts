import assert from 'node:assert/strict'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { testClock } from '#lib/clock.ts'
import { openScriptedRelay } from '../../test/mail/scripted-relay.ts'
import { createOrganizationIn, openAppIn, startKillableServer } from '../../test/processes/killable-server.ts'
import { temporaryFolder } from '../../test/storage.ts'
import { findMails } from './queries.ts'
import { smtpTransport } from './smtp.ts'

const MAILS = 40

const CONCURRENCY = 4

const KILLS = 3

/** After this many emails, the relay stops responding and the server is killed. */
const BETWEEN_KILLS = 7

test('when the server is killed while it sends emails, none is lost, and each arrives at most once more for each kill', async () => {
  const folder = await temporaryFolder()
  const authorization = await createOrganizationIn(folder)
  await using relay = await openScriptedRelay()
  let answers = BETWEEN_KILLS
  let fellMute = Promise.withResolvers<void>()
  relay.behave({
    dot() {
      answers -= 1
      if (answers >= 0) return 'accept'
      fellMute.resolve()
      return 'keep and hang'
    },
  })
  const addresses = Array.from({ length: MAILS }, (_, at) => `guest${at}@example.com`)
  const body = new URLSearchParams({
    invitee_emails: addresses.join(),
    stream_ids: '[]',
    invite_expires_in_minutes: '60',
  })

  let server = await startKillableServer(folder, { SMTP_URL: relay.url })
  const { ok } = await fetch(`${server.url}/api/v1/invites`, { method: 'POST', headers: { authorization }, body })
  assert.ok(ok)
  for (let kills = 1; kills <= KILLS; kills += 1) {
    await fellMute.promise
    await server.kill()
    fellMute = Promise.withResolvers()
    answers = kills < KILLS ? BETWEEN_KILLS : Number.POSITIVE_INFINITY
    if (kills < KILLS) server = await startKillableServer(folder, { SMTP_URL: relay.url })
  }
  const clock = testClock()
  await using app = await openAppIn(folder, { clock, transport: smtpTransport(relay.url) })
  clock.freeze(true)
  await clock.advance(1200)
  await app.jobs.mail.settled()

  const mails = await findMails(app.services.db, { limit: MAILS + 1 })
  const arrived = await Promise.all(relay.arrived.map(({ raw }) => PostalMime.parse(raw)))
  const arrivals = Map.groupBy(arrived, ({ to }) => to?.[0]?.address ?? '')
  assert.equal(mails.length, MAILS)
  for (const { recipient, messageId, state } of mails) {
    const copies = arrivals.get(recipient) ?? []
    assert.equal(state, 'sent')
    assert.ok(copies.length >= 1 && copies.length <= 1 + KILLS, `${recipient} got ${copies.length}`)
    for (const copy of copies) assert.equal(copy.messageId, `<${messageId}@localhost>`)
  }
  assert.ok(arrived.length <= MAILS + KILLS * CONCURRENCY, `${arrived.length} arrived`)
})
