import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { BotType } from '#rules/role.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'

// Real deliveries of many services, with the topics and links of the messages that the reference server made of them.

const file = path.resolve(import.meta.dirname, '../../../shared/reference/webhook-deliveries.json')

type Expected = { topic: string; links: string[]; code: string[]; bold: string[] }
type RealDelivery = {
  integration: string
  fixture: string
  headers: Record<string, string>
  body: string
  status: number
  messages: Expected[]
}

const absent = !existsSync(file) && `${file} is absent`
const deliveries: RealDelivery[] = absent ? [] : JSON.parse(readFileSync(file, 'utf8'))
const byService = Map.groupBy(deliveries, ({ integration }) => integration)

test('the real deliveries can be read', { skip: absent }, () => assert.ok(byService.size > 0))

/** Two empty code spans around a word: the reference server does not know the branches. Ours names them or is silent. */
const EMPTY_CODE = ' to '

/** A number of hours until now, which ours shows as a time. */
const HOURS = /^-?\d+\.\d hours$/

const wordsIn = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, word = '']) => word)

async function startWithBot(): Promise<{ chat: Chat; bot: Person; ada: Person }> {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const bot = await chat.user('hook-bot', { botType: BotType.incomingWebhook, owner: ada })
  await chat.channel('events', [ada])
  return { chat, bot, ada }
}

for (const [name, ofService] of byService) {
  test(`${ofService.length} real deliveries of ${name} become messages`, async () => {
    const { chat, bot } = await startWithBot()
    const problems: string[] = []
    let sent = 0
    for (const { fixture, headers, body, status, messages } of ofService) {
      const response = await chat.request({
        method: 'POST',
        path: `/api/v1/external/${name}?api_key=${bot.apiKey}&stream=events`,
        headers: { host: 'parley.test', ...headers },
        body,
      })
      const rows = await chat.app.services.db
        .selectFrom('messages')
        .select(['topic', 'content'])
        .where('senderId', '=', bot.id)
        .orderBy('id')
        .offset(sent)
        .limit(1000)
        .execute()
      sent += rows.length
      if (response.status !== status) problems.push(`${fixture}: status ${response.status}, ${response.body}`)
      if (rows.length !== messages.length) problems.push(`${fixture}: ${rows.length} messages, not ${messages.length}`)
      for (const [index, expected] of messages.entries())
        problems.push(...differences(rows[index], expected).map((problem) => `${fixture}: ${problem}`))
    }
    assert.deepEqual(problems, [])
  })
}

function differences(got: { topic: string; content: string } | undefined, expected: Expected): string[] {
  if (got === undefined) return []
  const { topic, content } = got
  const code = wordsIn(content, /`([^`\n]+)`/g)
  const bold = wordsIn(content, /\*\*([^\n]+?)\*\*/g)
  return [
    ...(topic === expected.topic ? [] : [`the topic is ${topic}, not ${expected.topic}`]),
    ...expected.links.filter((url) => !content.includes(url)).map((url) => `lacks the link ${url}`),
    ...expected.code
      .filter((word) => word !== EMPTY_CODE && !code.includes(word))
      .map((word) => `lacks the code ${word}`),
    ...expected.bold
      .filter((word) => !bold.includes(word) && !HOURS.test(word))
      .map((word) => `lacks the bold ${word}`),
  ]
}
