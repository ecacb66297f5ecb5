import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { startChat } from '../../../test/harness.ts'
import { accept, keyOfInvitation, keyOfLink, memberOf } from '../../../test/joining.ts'

const owner = { role: Role.owner }

test('a link lets people join with their own addresses, up to its limit', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', owner)
  const [twice, always] = [await keyOfLink(ada, { max_uses: 2 }), await keyOfLink(ada, { invite_as: 600 })]
  const uses = async () =>
    (await ada.succeed('GET /invites', { include_link_limits: true }))['invites'].map(
      (link: { uses: number }) => link.uses,
    )

  const outcomes = []
  for (const email of ['a@x.com', 'A@x.com', 'b@x.com', 'c@x.com']) outcomes.push(await accept(chat, twice, { email }))
  await accept(chat, always, { email: 'd@x.com', name: 'Dan' })

  assert.deepEqual(outcomes, ['in', 'log in', 'in', 'This invitation has been used'])
  assert.deepEqual(await uses(), [1])
  assert.partialDeepStrictEqual(await memberOf(ada, 'd@x.com'), { role: 600, full_name: 'Dan' })
})

test('joining by link ends the pending invitations to the address', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', owner)
  const invitation = await keyOfInvitation(chat, ada, 'new@x.com')

  await accept(chat, await keyOfLink(ada), { email: 'New@x.com' })

  assert.equal(await accept(chat, invitation), 'You already have an account')
})

test('a link with domains accepts only valid addresses in these domains', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', owner)
  const key = await keyOfLink(ada, { allowed_domains: ['x.com', 'y.com'] })
  const joinWith = (email: string) => accept(chat, key, { email })

  assert.equal(await joinWith('a@z.com'), 'This link only accepts addresses at x.com, y.com.')
  assert.equal(await joinWith('a@sub.x.com'), 'This link only accepts addresses at x.com, y.com.')
  assert.equal(await joinWith('@x.com'), 'Invalid address.')
  assert.equal(await joinWith(''), 'This link only accepts addresses at x.com, y.com.')
  assert.equal(await joinWith(' a@X.com '), 'in')
})

test('the inviter is notified of each person who joins, unless they do not want it', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', owner)
  const [loud, silent] = [await keyOfLink(ada), await keyOfLink(ada, { notify_referrer_on_join: false })]

  for (const email of ['a@x.com', 'b@x.com']) await accept(chat, loud, { email })
  await accept(chat, silent, { email: 'c@x.com' })

  assert.equal((await chat.eventsOf(ada)).filter(({ type }) => type === 'message').length, 2)
})
