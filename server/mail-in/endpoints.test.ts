import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotType, Role } from '#rules/role.ts'
import { refusalResponse } from '../../test/channels.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { MAIL_IN_SETTINGS, openIncomingMail } from '../../test/mail/incoming.ts'

const addressOf = async (person: Person, streamId: number, params: object = {}): Promise<string> =>
  (await person.succeed(`GET /streams/${streamId}/email_address`, { ...params }))['email']

async function startDesign(): Promise<{ chat: Chat; ada: Person; ben: Person; cleo: Person; id: number }> {
  const chat = await startChat({ settings: MAIL_IN_SETTINGS })
  const ada = await chat.user('ada', { role: Role.owner })
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const { id } = await chat.channel('Design & Töne', [ada, ben, cleo])
  return { chat, ada, ben, cleo, id }
}

test('a server that receives no email has no addresses', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const { id } = await chat.channel('design', [ben])

  assert.equal(await addressOf(ben, id), '')
  assert.deepEqual(await chat.app.services.db.selectFrom('channelAddresses').selectAll().execute(), [])
})

test('each user gets an address of their own for a channel, always the same, and never for a hidden channel', async () => {
  const { chat, ben, cleo, id } = await startDesign()
  const secret = await chat.channel('secret', [ben], { isPrivate: true })

  const first = await addressOf(ben, id)

  assert.match(first, /^design-to-ne\.[a-z2-7]{26}\.show-sender@in\.parley\.test$/)
  assert.equal(await addressOf(ben, id), first)
  assert.notEqual(await addressOf(cleo, id), first)
  assert.deepEqual(await cleo.call(`GET /streams/${secret.id}/email_address`), refusalResponse('Invalid channel ID'))
})

test('the database has the hash of the token only', async () => {
  const { chat, ben, id } = await startDesign()
  const [, token] = (await addressOf(ben, id)).split('.')

  const rows = await chat.app.services.db.selectFrom('channelAddresses').selectAll().execute()

  assert.equal(rows.length, 1)
  assert.ok(!JSON.stringify(rows).includes(token as string))
})

test('the options are part of the address, which never has more than 64 characters before the @', async () => {
  const { ben, id } = await startDesign()
  const all = { show_sender: true, include_footer: true, include_quotes: true, prefer_html: true }

  const plain = await addressOf(ben, id, { show_sender: false })
  const full = await addressOf(ben, id, all)
  const [local = ''] = full.split('@')

  assert.match(plain, /^design-to-ne\.[a-z2-7]{26}@/)
  assert.match(full, /\.[a-z2-7]{26}\.sender\.footer\.quotes\.html@/)
  assert.ok(local.length <= 64, local)
})

test('the sender is the Email Gateway bot, you, or one of your bots', async () => {
  const { chat, ben, cleo, id } = await startDesign()
  const own = await chat.user('robo', { botType: BotType.generic, owner: ben })
  const foreign = await chat.user('other', { botType: BotType.generic, owner: cleo })
  const { cross_realm_bots: bots } = await ben.succeed('POST /register', { event_types: ['realm_user'] })
  const gateway = bots.find(({ full_name }: { full_name: string }) => full_name === 'Email Gateway')
  const ask = (sender_id: number) => ben.call(`GET /streams/${id}/email_address`, { sender_id })

  const answers = await Promise.all([gateway.user_id, ben.id, own.id, foreign.id, cleo.id].map(ask))

  assert.deepEqual(
    answers.map(({ msg }) => msg),
    ['', '', '', 'Insufficient permission', 'No such bot'],
  )
  assert.equal(answers[0]?.['email'], await addressOf(ben, id))
  assert.equal(new Set(answers.slice(0, 3).map(({ email }) => email)).size, 3)
})

test('a deleted address refuses email, and the next one is another', async () => {
  const { chat, ada, ben, cleo, id } = await startDesign()
  await using incoming = await openIncomingMail(chat)
  const [before, ofCleo] = [await addressOf(ben, id), await addressOf(cleo, id)]

  await ben.succeed(`DELETE /streams/${id}/email_address`)
  const after = await addressOf(ben, id)

  assert.notEqual(after, before)
  assert.equal((await incoming.send({ to: before })).code, 550)
  assert.equal((await incoming.send({ to: after })).code, 250)

  assert.equal(
    (await cleo.call(`DELETE /streams/${id}/email_address`, { all: true }))['msg'],
    'You do not have permission to administer this channel.',
  )
  await ada.succeed(`DELETE /streams/${id}/email_address`, { all: true })
  assert.deepEqual([(await incoming.send({ to: after })).code, (await incoming.send({ to: ofCleo })).code], [550, 550])
})
