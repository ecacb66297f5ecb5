import assert from 'node:assert/strict'
import test from 'node:test'
import { onPostgres } from '../../../test/database.ts'
import { fc } from '../../../test/fast-check.ts'
import { type Person, startChat } from '../../../test/harness.ts'
import { sendToChannel } from '../../../test/messages.ts'
import { sized } from '../../../test/size.ts'

const RUNS = onPostgres ? sized(3, 8) : sized(8, 25)

const WORDS = ['red', 'green', 'blue', 'cyan'] as const
const TOPICS = ['paint', 'red', 'blue green'] as const

type Step = {
  kind: 'send' | 'edit' | 'move' | 'moveAll' | 'delete' | 'search' | 'wait'
  text: string
  topic: string
  word: string
  at: number
}

const steps: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...(['send', 'send', 'send', 'edit', 'move', 'moveAll', 'delete', 'search', 'wait'] as const)),
  text: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
  topic: fc.constantFrom(...TOPICS),
  word: fc.constantFrom(...WORDS),
  at: fc.nat(30),
})

/** The messages that exist, by id. */
type Messages = Map<number, { topic: string; text: string }>

async function find(person: Person, word: string): Promise<number[]> {
  const range = { anchor: 'newest', num_before: 1000, num_after: 0 }
  const page = await person.succeed('GET /messages', { ...range, narrow: [['search', word]] })
  return page['messages'].map((message: { id: number }) => message.id)
}

const idsContaining = (messages: Messages, word: string) =>
  [...messages].filter(([, { topic, text }]) => `${topic} ${text}`.split(' ').includes(word)).map(([id]) => id)

test('after any sequence of sends, edits, moves and deletions, a search finds the current messages', async () => {
  const property = fc.asyncProperty(fc.array(steps, { minLength: 20, maxLength: 40 }), async (given) => {
    const chat = await startChat()
    const ada = await chat.user('ada')
    const design = await chat.channel('design', [ada])
    const messages: Messages = new Map()

    for (const { kind, text, topic, word, at } of given) {
      const [id, message] = [...messages][at % Math.max(1, messages.size)] ?? []
      if (kind === 'send') messages.set(await sendToChannel(ada, design, text, topic), { topic, text })
      else if (kind === 'wait') await chat.clock.advance(6)
      else if (kind === 'search') assert.deepEqual(await find(ada, word), idsContaining(messages, word))
      else if (id === undefined || message === undefined) continue
      else if (kind === 'edit') {
        await ada.succeed(`PATCH /messages/${id}`, { content: text })
        message.text = text
      } else if (kind === 'delete') {
        await ada.succeed(`DELETE /messages/${id}`)
        messages.delete(id)
      } else if (message.topic !== topic) {
        const mode = kind === 'move' ? 'change_one' : 'change_all'
        const from = message.topic
        await ada.succeed(`PATCH /messages/${id}`, {
          topic,
          propagate_mode: mode,
          send_notification_to_new_thread: false,
        })
        message.topic = topic
        if (kind === 'moveAll') for (const each of messages.values()) if (each.topic === from) each.topic = topic
      }
    }
    for (const word of WORDS) assert.deepEqual(await find(ada, word), idsContaining(messages, word), word)
  })
  await fc.assert(property, { numRuns: RUNS, endOnFailure: true })
})
