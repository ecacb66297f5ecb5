import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findPasswordHash } from '#people/password-hashes.ts'
import { changeWhileChecked, PASSWORD, submitPassword } from '../../../test/browser.ts'
import { START, startChat } from '../../../test/harness.ts'

test('users see their API keys with client and last use, but not the keys themselves', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await submitPassword(chat, ben)
  await chat.clock.advance(60)

  const { api_key } = await ben.succeed('POST /users/me/api_keys', { password: PASSWORD, name: ' my laptop ' })
  const { api_keys } = await ben.succeed('GET /users/me/api_keys')

  assert.match(api_key, /^[A-Za-z0-9]{32}$/)
  assert.deepEqual(
    api_keys.map(({ id: _, ...key }: { id: number }) => key),
    [
      { client: 'my laptop', created_at: START + 60, last_used_at: null },
      { client: 'test', created_at: START, last_used_at: START + 60 },
    ],
  )
  assert.equal((await ada.succeed('GET /users/me/api_keys')).api_keys.length, 1)
})

test('a new key works, and existing keys keep working', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  await submitPassword(chat, ben)

  const { api_key } = await ben.succeed('POST /users/me/api_keys', { password: PASSWORD, name: 'bot' })

  const authorization = `Basic ${Buffer.from(`${ben.email}:${api_key}`).toString('base64')}`
  assert.equal((await ben.call('GET /users/me', {}, { authorization })).status, 200)
  assert.equal((await ben.call('GET /users/me')).status, 200)
})

test('creating a key requires the password and a name', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  await submitPassword(chat, ben)
  const make = (params: Record<string, string>) => ben.call('POST /users/me/api_keys', params)

  assert.equal((await make({ password: 'wrong', name: 'bot' })).msg, 'Wrong password!')
  assert.match((await make({ name: 'bot' })).msg, /^Your current password is required/)
  assert.equal((await make({ password: PASSWORD, name: ' ' })).msg, 'name cannot be blank')
  assert.equal(
    (await make({ password: PASSWORD, name: 'x'.repeat(31) })).msg,
    'name is too long (limit: 30 characters)',
  )
  assert.equal((await ben.succeed('GET /users/me/api_keys')).api_keys.length, 1)
})

test('a password that is changed while it is verified does not create a key', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const params = { password: PASSWORD, name: 'bot' }
  const login = { username: ben.email, password: PASSWORD }
  const change = { old_password: PASSWORD, new_password: 'a third horse' }
  await changeWhileChecked(chat, ben)
  const late = async (route: string, given: Record<string, string>) => {
    await submitPassword(chat, ben)
    return (await ben.call(route, given)).msg
  }

  assert.equal(await late('POST /users/me/api_keys', params), 'Wrong password!')
  assert.equal(await late('POST /fetch_api_key', login), 'Your username or password is incorrect')
  assert.equal(await late('PATCH /settings', change), 'Wrong password!')
  assert.equal((await ben.succeed('GET /users/me/api_keys')).api_keys.length, 1)
  const hash = await findPasswordHash(chat.app.services.db, ben.id)
  assert(await chat.app.services.passwords.verify(hash, 'another horse'))
})

test('wrong passwords are limited as they are for logins', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true } })
  const ben = await chat.user('ben')
  await submitPassword(chat, ben)
  const make = (password: string) => ben.call('POST /users/me/api_keys', { password, name: 'bot' })
  for (let attempt = 0; attempt < 5; attempt++) await make('wrong')

  assert.equal((await make(PASSWORD)).status, 429)
})

test('a deleted key is refused from then on, and keys of other users cannot be deleted', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const [key] = (await ben.succeed('GET /users/me/api_keys')).api_keys

  const refused = await ada.call(`DELETE /users/me/api_keys/${key.id}`)
  await ben.succeed(`DELETE /users/me/api_keys/${key.id}`)

  assert.deepEqual([refused.status, refused.msg], [400, 'No such API key'])
  assert.equal((await ben.call('GET /users/me')).status, 401)
})
