import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalResponse } from '../../test/channels.ts'
import { type Person, startChat } from '../../test/harness.ts'

async function setting(): Promise<{ ben: Person; bot: Person; other: Person }> {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const bot = await chat.user('bot', { botType: 1, owner: ben })
  return { ben, bot, other: await chat.user('other', { botType: 1, owner: ben }) }
}

const stored = async (bot: Person, keys?: string[]) => (await bot.succeed('GET /bot_storage', { keys }))['storage']

test('each bot stores, changes and deletes its own entries', async () => {
  const { bot, other } = await setting()

  await bot.succeed('PUT /bot_storage', { storage: { score: '1', name: 'Otto' } })
  await bot.succeed('PUT /bot_storage', { storage: { score: '2', day: '' } })
  await other.succeed('PUT /bot_storage', { storage: { score: '9' } })
  const all = await stored(bot)
  const some = await stored(bot, ['score', 'day'])
  await bot.succeed('DELETE /bot_storage', { keys: ['score'] })
  const left = await stored(bot)
  await bot.succeed('DELETE /bot_storage')

  assert.deepEqual(all, { score: '2', name: 'Otto', day: '' })
  assert.deepEqual(some, { score: '2', day: '' })
  assert.deepEqual(left, { name: 'Otto', day: '' })
  assert.deepEqual(await stored(bot), {})
  assert.deepEqual(await stored(other), { score: '9' })
})

test('a missing key is refused, and nothing is deleted', async () => {
  const { bot } = await setting()
  await bot.succeed('PUT /bot_storage', { storage: { score: '1' } })

  const missing = refusalResponse('Key does not exist.')
  assert.deepEqual(await bot.call('GET /bot_storage', { keys: ['score', 'none'] }), missing)
  assert.deepEqual(await bot.call('DELETE /bot_storage', { keys: ['score', 'none'] }), missing)
  assert.deepEqual(await stored(bot), { score: '1' })
})

test('the storage is only for bots and has a size limit', async () => {
  const { ben, bot } = await setting()
  const text = 'x'.repeat(999_998)
  const keep = (key: string, value: string) => bot.call('PUT /bot_storage', { storage: { [key]: value } })

  assert.deepEqual(await ben.call('GET /bot_storage'), refusalResponse('This endpoint only accepts bot requests.'))
  for (let i = 0; i < 9; i += 1) await keep(`k${i}`, text)
  const tooMuch = await keep('k9', `${text}x`)
  const rest = await keep('k9', text)

  assert.deepEqual(tooMuch, refusalResponse('Request exceeds storage limit of 10000000 characters.'))
  assert.equal(rest.result, 'success')
})
