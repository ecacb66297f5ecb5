import assert from 'node:assert/strict'
import test from 'node:test'
import { countStatements } from '../../../test/count-statements.ts'
import { onPostgres } from '../../../test/database.ts'
import { type Person, startChat } from '../../../test/harness.ts'
import { sendDirect, sendToChannel } from '../../../test/messages.ts'

const skip = onPostgres && 'statements are counted on SQLite'

test('a list takes as many statements for sixty messages as for six', { skip }, async () => {
  const chat = await startChat()
  const people: Person[] = []
  for (const name of ['ada', 'ben', 'cleo', 'dan', 'eve', 'fay', 'gil', 'hal', 'ina', 'jon', 'kim', 'lou'])
    people.push(await chat.user(name))
  const [ada, ben] = people as [Person, Person]
  const channels = [await chat.channel('design', people), await chat.channel('other', people)]
  for (let turn = 0; turn < 60; turn += 1) {
    const sender = people[turn % people.length] as Person
    const id =
      turn % 4 === 0
        ? await sendDirect(sender, [ada])
        : await sendToChannel(sender, channels[turn % 2] ?? { name: 'other' })
    await sender.succeed(`POST /messages/${id}/reactions`, { emoji_name: 'tada' })
  }

  const list = (narrow: readonly unknown[], count: number) => () =>
    ada.succeed('GET /messages', { anchor: 'newest', num_before: count, num_after: 0, narrow })
  for (const narrow of [[], [['channel', 'design']], [['is', 'dm']], [['search', 'hello']], [['is', 'unread']]]) {
    await list(narrow, 60)()
    const [few, many] = [await countStatements(list(narrow, 6)), await countStatements(list(narrow, 60))]
    // Two things may take further statements. More than eight senders are not looked up in the cache. A list that
    // reaches the oldest message is searched in each channel and conversation.
    assert.ok(many <= few + 2, `${JSON.stringify(narrow)}: ${few}, ${many}`)
    assert.ok(many <= 7, `${many} statements`)
  }
  const around = { anchor: 30, num_before: 20, num_after: 20 }
  assert.ok((await countStatements(() => ben.succeed('GET /messages', around))) <= 8)
})
