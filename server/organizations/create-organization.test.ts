import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueApiKey } from '#people/api-keys.ts'
import { personOf, startChat } from '../../test/harness.ts'
import { messagesOf } from '../../test/importing/import-into.ts'
import { createOrganizationWithOwner } from './create-organization.ts'

test('a new organization announces new channels in #general', async () => {
  const chat = await startChat()
  const { services } = chat.app
  const person = { email: 'ada@example.com', fullName: 'Ada', passwordHash: 'none' }
  const { realm, owner } = await services.transaction((tx) =>
    createOrganizationWithOwner(tx, { subdomain: 'harbour', name: 'Harbour', owner: person }),
  )
  const key = await services.transaction((tx) => issueApiKey(tx, owner.id, 'test'))
  const ada = personOf(chat, realm, owner, key)

  await ada.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'docks' }], announce: true })

  const [announcement] = await messagesOf(ada, [['channel', 'general']])
  assert.equal(announcement?.['content'], `@_**Ada|${owner.id}** created a new channel #**docks**.`)
})

test('the name of an organization must be a single line', async () => {
  const chat = await startChat()
  const person = { email: 'ada@example.com', fullName: 'Ada', passwordHash: 'none' }
  const create = (name: string) =>
    chat.app.services.transaction((tx) =>
      createOrganizationWithOwner(tx, { subdomain: 'harbour', name, owner: person }),
    )

  for (const name of ['Old\r\nHarbour', 'Old\0Harbour', 'Old\u001bHarbour'])
    await assert.rejects(create(name), /cannot contain line breaks/)

  assert.equal((await create('Old Harbour')).realm.name, 'Old Harbour')
})
