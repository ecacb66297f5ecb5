import assert from 'node:assert/strict'
import test from 'node:test'
import { type Person, startChat } from '../../test/harness.ts'

const makeGroup = (person: Person, name: string) =>
  person.call('POST /user_groups/create', { name, description: '', members: [], subgroups: [] })

const makeBot = (person: Person, name: string) => person.call('POST /bots', { full_name: name, short_name: name })

for (const [things, make] of [
  ['groups', makeGroup],
  ['bots', makeBot],
] as const) {
  test(`a member can create at most 100 ${things} in 24 hours`, async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    for (let count = 0; count < 100; count += 1) assert.equal((await make(ben, `b${count}`)).status, 200)

    const another = await make(ben, 'further')
    await chat.clock.advance(86_400)
    const nextDay = await make(ben, 'further')

    const msg = `You cannot create more than 100 ${things} in 24 hours. Try again later, or ask an administrator.`
    assert.deepEqual([another.status, another.msg], [400, msg])
    assert.equal(nextDay.status, 200)
  })
}
