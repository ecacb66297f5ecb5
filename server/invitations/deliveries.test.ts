import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { type Chat, type Person, START, startChat } from '../../test/harness.ts'
import { invite } from '../../test/inviting.ts'

async function deliveriesTo(chat: Chat, person: Person) {
  await chat.app.jobs.mail.settled()
  return (await person.succeed('GET /invites/deliveries')).deliveries
}

test('inviters see whether the emails of their own invitations were delivered, and administrators see it for all', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  await invite(ben, 'one@example.com')
  await invite(cleo, 'two@example.com')
  const { invites } = await ada.succeed('GET /invites')

  const [bens] = await deliveriesTo(chat, ben)
  const all = await deliveriesTo(chat, ada)

  assert.deepEqual(bens, {
    invite_id: invites[0].id,
    mail_id: bens.mail_id,
    state: 'sent',
    queued_at: START,
    next_attempt_at: null,
    attempts: 1,
    reply: '250 Collected',
    ended_at: START,
  })
  assert.deepEqual(
    all.map(({ invite_id }: { invite_id: number }) => invite_id),
    invites.map(({ id }: { id: number }) => id),
  )
})

test('the newest email counts, regardless of the reminder', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  await invite(ada, 'one@example.com')
  const [first] = await deliveriesTo(chat, ada)
  await chat.clock.advance(60)
  await ada.succeed(`POST /invites/${first.invite_id}/resend`)

  const [second] = await deliveriesTo(chat, ada)

  assert.ok(second.mail_id > first.mail_id)
  assert.deepEqual([second.state, second.queued_at], ['sent', START + 60])
})

test('links and past invitations have no delivery state', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  await ada.succeed('POST /invites/multiuse', { stream_ids: [] })
  await invite(ada, 'one@example.com')
  const [{ invite_id }] = await deliveriesTo(chat, ada)
  await ada.succeed(`DELETE /invites/${invite_id}`)

  assert.deepEqual(await deliveriesTo(chat, ada), [])
})
