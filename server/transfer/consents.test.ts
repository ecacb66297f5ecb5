import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotType, Role } from '#rules/role.ts'
import { refusalResponse } from '../../test/channels.ts'
import { startChat } from '../../test/harness.ts'

test('administrators get the users who consent to the export of their private data', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  await chat.user('gizmo', { botType: BotType.generic, owner: ben })
  await ben.succeed('PATCH /settings', { allow_private_data_export: true })
  await ada.succeed(`DELETE /users/${cleo.id}`)

  assert.deepEqual((await ada.succeed('GET /export/realm/consents'))['export_consents'], [
    { user_id: ada.id, consented: false },
    { user_id: ben.id, consented: true },
  ])
  for (const route of ['GET /export/realm', 'GET /export/realm/consents'])
    assert.deepEqual(
      await ben.call(route),
      refusalResponse('Must be an organization administrator', 'UNAUTHORIZED_PRINCIPAL'),
    )
})

test('administrators receive changes to export consent, even when an account is reactivated', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const consents = async (person: typeof ada) =>
    (await chat.eventsOf(person)).filter(({ type }) => type === 'realm_export_consent')

  await ben.succeed('PATCH /settings', { allow_private_data_export: true })
  await ada.succeed(`DELETE /users/${ben.id}`)
  await ada.succeed(`POST /users/${ben.id}/reactivate`)

  const consent = { type: 'realm_export_consent', user_id: ben.id, consented: true }
  assert.deepEqual(await consents(ada), [consent, consent])
  assert.deepEqual(await consents(ben), [])
})
