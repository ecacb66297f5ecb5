import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startChat } from '../../test/harness.ts'
import { CANCELED_LIFETIME, cancelMails, queueMail } from './outbox.ts'
import { findMails, saveAttempt } from './queries.ts'

/** Seconds from the start of the server to the first run of the retention job, and between its runs. */
const [FIRST_RUN, INTERVAL] = [600, 3600]

test('canceled emails and their attempts are deleted after 30 days, and no others', async () => {
  const { app, clock } = await startChat()
  const { db, transaction } = app.services
  const dueAt = clock.now() + 365 * 86_400
  const queue = (recipient: string) =>
    transaction((tx) => queueMail(tx, { realmId: null, recipient, letter: 'greeting', data: {}, dueAt }))
  const cancel = (recipient: string) =>
    transaction((tx) => cancelMails(tx, { letter: 'greeting', recipients: [recipient] }))
  const remaining = async () => (await findMails(db)).map(({ recipient }) => recipient).sort()

  await queue('old@example.com')
  const [tried] = await findMails(db)
  await transaction((tx) => saveAttempt(tx, tried!, dueAt))
  await cancel('old@example.com')
  await queue('waiting@example.com')
  await clock.advance(FIRST_RUN + INTERVAL)
  await queue('new@example.com')
  await cancel('new@example.com')
  const before = await remaining()
  await clock.advance(CANCELED_LIFETIME - INTERVAL)
  const after = await remaining()
  await clock.advance(INTERVAL)

  assert.equal(CANCELED_LIFETIME, 30 * 86_400)
  assert.deepEqual(before, ['new@example.com', 'old@example.com', 'waiting@example.com'])
  assert.deepEqual(after, ['new@example.com', 'waiting@example.com'])
  assert.deepEqual(await remaining(), ['waiting@example.com'])
  assert.deepEqual(await db.selectFrom('mailAttempts').select('id').execute(), [])
})
