import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { refusalResponse } from '../../test/channels.ts'
import { startChat } from '../../test/harness.ts'

test('features that are not available are refused with an explanation', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const responses: [string, string][] = [['GET /calls/bigbluebutton/create', 'BigBlueButton is not configured.']]

  for (const [route, msg] of responses)
    assert.deepEqual(await ada.call(route, { meeting_name: 'design', voice_only: true }), refusalResponse(msg), route)
})
