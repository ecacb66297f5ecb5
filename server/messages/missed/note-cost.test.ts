import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countStatements } from '../../../test/count-statements.ts'
import { onPostgres } from '../../../test/database.ts'
import { type Person, startChat } from '../../../test/harness.ts'
import { followsNothing, say } from '../../../test/talk.ts'

const skip = onPostgres && 'statements are counted on SQLite'

test('where nobody wants mail nothing is asked for that; else it takes as many statements for thirty as for one', {
  skip,
}, async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { settings: followsNothing })
  const others: Person[] = []
  for (let number = 1; number <= 30; number += 1)
    others.push(await chat.user(`user${number}`, { settings: followsNothing }))
  const alone = await chat.channel('alone', [ada])
  const full = await chat.channel('full', [ada, ...others])
  const cost = async (channel: { name: string }, content: string) => {
    await say(ada, channel, content)
    return countStatements(() => say(ada, channel, content))
  }

  const plain = await cost(full, 'hello')
  const toOne = await cost(full, '@**User1**')
  const toAll = await cost(full, others.map((_, at) => `@**User${at + 1}**`).join(' '))

  assert.equal(plain, await cost(alone, 'hello'))
  assert.equal(toAll, toOne)
})
