import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { BotType, Role } from '#rules/role.ts'
import { type Chat, type Person, type ReceivedEvent, startChat } from '../../test/harness.ts'
import { subjectsAfter, WAIT } from '../../test/missed-mail.ts'

const LEAVE = 'DELETE /users/me/subscriptions'

async function say(person: Person, to: string): Promise<number> {
  const response = await person.succeed('POST /messages', { type: 'channel', to, topic: 'news', content: 'hello' })
  return response['id']
}

async function flagsOf(person: Person, id: number): Promise<string[]> {
  return (await person.succeed(`GET /messages/${id}`))['message'].flags
}

/** Returns the direct messages that the user received. */
async function notices(chat: Chat, person: Person): Promise<Record<string, unknown>[]> {
  const messages = (await chat.eventsOf(person)).filter((event: ReceivedEvent) => event.type === 'message')
  return messages.map((event) => event['message'] as Record<string, unknown>).filter(({ type }) => type === 'private')
}

suite('unread messages', () => {
  test('become read when a user leaves, in the channels that they left and for that user only', async () => {
    const chat = await startChat()
    const [ben, cleo, dan] = [await chat.user('ben'), await chat.user('cleo'), await chat.user('dan')]
    await chat.channel('design', [ben, cleo, dan])
    await chat.channel('sales', [ben, cleo])
    const [first, elsewhere, second] = [await say(dan, 'design'), await say(cleo, 'sales'), await say(dan, 'design')]
    await ben.succeed('POST /messages/flags', { messages: [second], op: 'add', flag: 'starred' })

    await ben.succeed(LEAVE, { subscriptions: ['design'] })

    assert.deepEqual(await flagsOf(ben, first), ['read'])
    assert.deepEqual(await flagsOf(ben, second), ['read', 'starred'])
    assert.deepEqual(await flagsOf(ben, elsewhere), [])
    assert.deepEqual(await flagsOf(cleo, first), [])
    assert.deepEqual((await chat.eventsOf(ben)).at(-1), {
      type: 'update_message_flags',
      op: 'add',
      operation: 'add',
      flag: 'read',
      messages: [first, second],
      all: false,
    })
  })

  test('become read for each of several users, in the channels that each has left', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    await chat.channel('design', [ada, ben, cleo])
    await chat.channel('sales', [ada, ben])
    const [inDesign, inSales] = [await say(ada, 'design'), await say(ada, 'sales')]

    await ada.succeed(LEAVE, { subscriptions: ['design', 'sales'], principals: [ben.id, cleo.id] })

    const marked = async (person: Person) =>
      (await chat.eventsOf(person)).filter((event) => event['flag'] === 'read').map((event) => event['messages'])
    assert.deepEqual(await marked(ben), [[inDesign, inSales]])
    assert.deepEqual(await marked(cleo), [[inDesign]])
  })

  test('stay unread if the request is refused', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    await chat.channel('design', [ben, cleo])
    const id = await say(cleo, 'design')

    await ben.call(LEAVE, { subscriptions: ['design', 'nope'] })

    assert.deepEqual(await flagsOf(ben, id), [])
  })
})

suite('readable messages', () => {
  test('a user who left can read a public channel but no longer a private one', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    await chat.channel('secret', [ben, cleo], { isPrivate: true })
    await chat.channel('design', [ben, cleo])
    const [secret, open] = [await say(cleo, 'secret'), await say(cleo, 'design')]

    await ben.succeed(LEAVE, { subscriptions: ['secret', 'design'] })

    assert.partialDeepStrictEqual(await ben.call(`GET /messages/${secret}`), { msg: 'Invalid message(s)' })
    assert.equal((await ben.call(`GET /messages/${open}`)).result, 'success')
  })
})

suite('notices about removal', () => {
  test('a user removed by someone else gets one message that names the channels', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator, fullName: 'Ada' })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    await chat.channel('design', [ben, cleo])
    await chat.channel('sales', [ben])
    await chat.channel('never in', [])

    const subscriptions = ['design', 'sales', 'never in']
    await ada.succeed(LEAVE, { subscriptions, principals: [ben.id, cleo.id, ada.id] })

    const [[toBen, ...more], [toCleo]] = [await notices(chat, ben), await notices(chat, cleo)]
    assert.deepEqual(more, [])
    assert.partialDeepStrictEqual(toBen, { sender_full_name: 'Notification Bot' })
    const byAda = `@_**Ada|${ada.id}** unsubscribed you from`
    assert.equal(toBen?.['content'], `${byAda} these channels:\n\n* #**design**\n* #**sales**`)
    assert.equal(toCleo?.['content'], `${byAda} the channel #**design**.`)
    assert.deepEqual(await notices(chat, ada), [])
  })

  test('users who left by themselves, were not subscribed or are bots get none', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const bot = await chat.user('bot', { botType: BotType.generic, owner: ben })
    await chat.channel('design', [ben, bot])

    await ben.succeed(LEAVE, { subscriptions: ['design'] })
    await ada.succeed(LEAVE, { subscriptions: ['design'], principals: [ben.id, cleo.id, bot.id] })

    for (const person of [ben, cleo, bot]) assert.deepEqual(await notices(chat, person), [])
  })

  test('a guest who may not see the actor does not learn who it was', async () => {
    const chat = await startChat()
    await chat.change({ can_access_all_users_group: 'role:members' })
    const ada = await chat.user('ada', { role: Role.owner, fullName: 'Ada' })
    const [gus, ben] = [await chat.user('gus', { role: Role.guest }), await chat.user('ben')]
    await chat.channel('design', [gus, ben])
    const principals = [gus.id, ben.id]
    const { group_id } = await ada.succeed('POST /user_groups/create', { name: 'crew', description: '', members: [] })

    await ada.succeed(LEAVE, { subscriptions: ['design'], principals })
    await ada.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'design' }], principals })
    await ada.succeed(`POST /user_groups/${group_id}/members`, { add: principals })

    const [toGus, toBen] = [await notices(chat, gus), await notices(chat, ben)]
    assert.deepEqual(
      toGus.map(({ content }) => content),
      [
        'Unknown user unsubscribed you from the channel #**design**.',
        'Unknown user subscribed you to the channel #**design**.',
        'Unknown user added you to the group @_*crew*.',
      ],
    )
    assert.equal(toBen.length, 3)
    for (const { content } of toBen) assert.match(String(content), /\*\*Ada\|/)
  })

  test('are never sent by email, not even to users who are offline', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator })
    const ben = await chat.user('ben')
    const design = await chat.channel('design', [ben])

    await ada.succeed(LEAVE, { subscriptions: ['design'], principals: [ben.id] })
    const afterwards = await subjectsAfter(chat, WAIT, ben)
    await ada.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: design.name }], principals: [ben.id] })

    assert.deepEqual(afterwards, [])
    assert.deepEqual(await subjectsAfter(chat, WAIT, ben), ['Direct messages with Notification Bot'])
  })

  test('are not sent if the organization has disabled them', async () => {
    const chat = await startChat()
    await chat.change({ send_channel_removal_notices: false })
    const ada = await chat.user('ada', { role: Role.administrator })
    const ben = await chat.user('ben')
    await chat.channel('design', [ben])

    await ada.succeed(LEAVE, { subscriptions: ['design'], principals: [ben.id] })

    assert.deepEqual(await notices(chat, ben), [])
  })
})
