import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { signIn, startWithPassword, submitPassword } from '../../../test/browser.ts'

test('an administrator logs a user out of all browsers and apps; the password and bots stay valid', async () => {
  const { chat } = await startWithPassword()
  const [ada, ben] = [await chat.user('admin', { role: Role.administrator }), await chat.user('ben')]
  await submitPassword(chat, ada)
  await submitPassword(chat, ben)
  const [first, second, own] = [await signIn(chat, ben), await signIn(chat, ben), await signIn(chat, ada)]
  const { api_key } = await ben.succeed('POST /bots', { full_name: 'Otto', short_name: 'otto', bot_type: 1 })

  await ada.succeed(`DELETE /users/${ben.id}/sessions`)

  const statuses = await Promise.all(
    [first, second, ben, own, ada].map(async (one) => (await one.call('GET /users/me')).status),
  )
  assert.deepEqual(statuses, [401, 401, 401, 200, 200])
  assert.equal(typeof api_key, 'string')
  const { bots } = await ada
    .succeed('GET /users')
    .then(({ members }) => ({ bots: members.filter((one: { email: string }) => one.email.startsWith('otto')) }))
  assert.equal(bots[0].is_active, true)
  const again = await signIn(chat, ben)
  assert.equal((await again.call('GET /users/me')).status, 200)
})

test('only administrators log others out, and only owners log owners out', async () => {
  const { chat } = await startWithPassword()
  const [owner, admin] = [
    await chat.user('owner', { role: Role.owner }),
    await chat.user('admin', { role: Role.administrator }),
  ]
  const ben = await chat.user('ben')
  const answerTo = async (person: typeof ben, id: number) => (await person.call(`DELETE /users/${id}/sessions`)).msg

  const answers = [
    await answerTo(ben, admin.id),
    await answerTo(ben, ben.id),
    await answerTo(admin, owner.id),
    await answerTo(owner, 12_345),
    await answerTo(owner, admin.id),
  ]

  assert.deepEqual(answers, [
    'Insufficient permission',
    'Insufficient permission',
    'Must be an organization owner',
    'No such user',
    '',
  ])
})
