import assert from 'node:assert/strict'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { openMailRoom } from '../../test/mail-room.ts'
import { openScriptedRelay } from '../../test/scripted-relay.ts'
import { smtpTransport } from './smtp.ts'

test('through a relay that fails in every way in turn, each mail arrives once or fails with the reason', async () => {
  await using room = await openMailRoom()
  await using relay = await openScriptedRelay()
  const rejected = { code: 550, text: 'No such mailbox' }
  relay.behave({
    connect: (nth) => (nth === 1 ? { code: 421, text: 'Busy' } : 'accept'),
    mailFrom: (nth) => (nth === 1 ? { code: 451, text: 'Later' } : nth === 2 ? 'drop' : 'accept'),
    rcptTo: (nth) => (nth === 1 ? { code: 450, text: 'Greylisted' } : nth === 4 ? rejected : 'accept'),
    data: (nth) => (nth === 1 ? 'drop' : 'accept'),
  })
  const postman = room.employ(smtpTransport(`smtp://postman:s3cret-pass@127.0.0.1:${relay.port}`), { concurrency: 1 })
  const ids = [await room.queue(), await room.queue(), await room.queue()]

  await postman.settled()
  await room.clock.advance(86_400)

  const mails = await Promise.all(ids.map((id) => room.find(id)))
  const sent = mails.filter(({ state }) => state === 'sent')
  const failed = mails.filter(({ state }) => state === 'failed')
  const arrived = await Promise.all(relay.arrived.map(({ raw }) => PostalMime.parse(raw)))
  assert.deepEqual([sent.length, failed.length], [2, 1])
  assert.match(failed[0]?.reply ?? '', /^550 .*No such mailbox/)
  assert.deepEqual(
    arrived.map(({ messageId }) => messageId).sort(),
    sent.map((mail) => `<${mail.messageId}@chat.test>`).sort(),
  )
  assert.equal(
    room.logged.some((line) => line.includes('s3cret')),
    false,
  )
  assert.ok(room.logged.some((line) => line.includes('Mail deferred')))
})
