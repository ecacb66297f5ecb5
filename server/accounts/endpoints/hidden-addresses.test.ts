import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { AddressVisibility } from '#people/user-settings.ts'
import { BotType, Role } from '#rules/role.ts'
import { startChat } from '../../../test/harness.ts'
import { sendToChannel } from '../../../test/messages.ts'

test('a hidden address appears nowhere, not even as a gravatar hash', async () => {
  const chat = await startChat()
  const omega = await chat.user('omega', { settings: { email_address_visibility: AddressVisibility.nobody } })
  const ben = await chat.user('ben')
  const viewers = [
    await chat.user('ada', { role: Role.owner }),
    ben,
    await chat.user('gus', { role: Role.guest }),
    await chat.user('robo', { botType: BotType.generic, owner: ben }),
  ]
  const design = await chat.channel('design', [omega, ...viewers])
  const messageId = await sendToChannel(omega, design)
  const format = { client_gravatar: false }
  const events: string[] = []

  for (const person of viewers) {
    const { queue_id, ...state } = await person.succeed('POST /register', format)
    const around = { anchor: messageId, num_before: 0, num_after: 0 }
    const responses = [
      state,
      await person.succeed('GET /users', format),
      await person.succeed(`GET /users/${omega.id}`, format),
      await person.succeed('GET /messages', { ...around, ...format }),
      await person.succeed(`GET /messages/${messageId}`, format),
    ]
    events.push(...responses.map((response) => JSON.stringify(response)))
    const authorization = `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString('base64')}`
    for (const path of [`/avatar/${omega.id}`, `/avatar/${omega.id}/medium`])
      events.push(
        String(
          (await chat.request({ method: 'GET', path, headers: { host: 'parley.test', authorization } })).headers[
            'location'
          ],
        ),
      )
  }
  await omega.succeed('PATCH /settings', { email_address_visibility: AddressVisibility.administrators })
  await omega.succeed('DELETE /users/me/avatar')
  for (const person of viewers.slice(1)) events.push(JSON.stringify(await chat.eventsOf(person)))

  for (const text of events) {
    assert.doesNotMatch(text, /omega@example\.com/)
    assert.doesNotMatch(text, new RegExp(hash('md5', 'omega@example.com')))
  }
  assert.match(events.join(), /secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?d=identicon/)
})
