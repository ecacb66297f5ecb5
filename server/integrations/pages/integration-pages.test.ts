import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotType } from '#rules/role.ts'
import { startChat } from '../../../test/harness.ts'
import { integrations } from '../catalogue.ts'

test('the sample of every integration becomes a message', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const bot = await chat.user('hook-bot', { botType: BotType.incomingWebhook, owner: ada })
  await chat.channel('events', [ada])

  for (const { name: integration, title, eventNames } of integrations) {
    const answer = await ada.call(`POST /bots/${bot.id}/webhook_test`, { integration, stream: 'events' })
    assert.equal(answer.status, 200, `${title}: ${answer.msg}`)
    const { deliveries } = await ada.succeed(`GET /bots/${bot.id}/webhook_deliveries`, { num: 1 })
    const [{ event }] = deliveries
    if (eventNames.length > 0) assert.ok(eventNames.includes(event), `${title}: ${event}`)
  }
})
