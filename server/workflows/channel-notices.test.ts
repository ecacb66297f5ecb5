import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Role } from '#rules/role.ts'
import { lockMessageIds } from '#storage/counters.ts'
import { type Person, startChat } from '../../test/harness.ts'
import { A_WHILE } from '../../test/open-transaction.ts'

async function startDesign() {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  return { chat, ada, ben, design: await chat.channel('design', [ben]) }
}

type ReceivedMessage = { sender_full_name: string; subject: string; content: string; flags: string[] }

/** Returns the channel's messages as Ben receives them, oldest first. */
async function messagesIn({ id }: { id: number }, ben: Person, params = {}): Promise<ReceivedMessage[]> {
  const range = { anchor: 'newest', num_before: 100, num_after: 0, narrow: [['channel', id]] }
  return (await ben.succeed('GET /messages', { ...range, apply_markdown: false, ...params }))['messages']
}

const who = ({ id }: Person) => `@_**Ada|${id}**`

for (const [what, changes, said] of [
  ['a new name', { new_name: 'drawings' }, ['renamed channel **design** to **drawings**.']],
  [
    'a new description',
    { description: 'What we\ndraw' },
    [
      'changed the description for this channel.\n\n* **Old description:**\n```` quote\n*No description.*\n````\n' +
        '* **New description:**\n```` quote\nWhat we draw\n````',
    ],
  ],
  [
    'whom it is open to',
    { is_private: true, history_public_to_subscribers: false },
    [
      'changed the [access permissions](/help/change-a-channel) for this channel from **Public** to **Private, protected history**.',
    ],
  ],
  [
    'several things at once',
    { new_name: 'drawings', is_private: true, history_public_to_subscribers: true },
    [
      'changed the [access permissions](/help/change-a-channel) for this channel from **Public** to **Private, shared history**.',
      'renamed channel **design** to **drawings**.',
    ],
  ],
  [
    'how long messages are kept',
    { message_retention_days: 30 },
    [
      'has changed the message retention period for this channel:\n* **Old retention period**: Forever\n' +
        '* **New retention period**: 30 days\n\n' +
        'Messages in this channel will now be automatically deleted 30 days after they are sent.',
    ],
  ],
  ['how long messages are kept, to what all are kept for', { message_retention_days: '"unlimited"' }, []],
  ['what it is already', { description: '', is_private: false }, []],
] as const) {
  test(`the notification bot posts in the channel when ${what} changes`, async () => {
    const { ada, ben, design } = await startDesign()
    await ada.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'design' }] })

    await ada.succeed(`PATCH /streams/${design.id}`, changes)

    const messages = await messagesIn(design, ben)
    assert.deepEqual(
      messages.map(({ content }) => content),
      said.map((change) => `${who(ada)} ${change}`),
    )
    for (const { sender_full_name, subject, flags } of messages)
      assert.deepEqual([sender_full_name, subject, flags], ['Notification Bot', 'channel events', []])
  })
}

test('the notice about retention compares the periods that apply, whether the channel or the organization sets them', async () => {
  const { chat, ada, ben, design } = await startDesign()
  await chat.change({ message_retention_days: 7 })

  for (const days of ['"unlimited"', '"realm_default"', 7, 2])
    await ada.succeed(`PATCH /streams/${design.id}`, { message_retention_days: days })

  const notice = (old: string, now: string, follows: string) =>
    `${who(ada)} has changed the message retention period for this channel:\n* **Old retention period**: ${old}\n` +
    `* **New retention period**: ${now}\n\nMessages in this channel will now be ${follows}.`
  assert.deepEqual(
    (await messagesIn(design, ben)).map(({ content }) => content),
    [
      notice('7 days', 'Forever', 'retained forever'),
      notice('Forever', '7 days', 'automatically deleted 7 days after they are sent'),
      notice('7 days', '2 days', 'automatically deleted 2 days after they are sent'),
    ],
  )
})

test('the notice about posting permissions names the groups and users', async () => {
  const { chat, ada, ben, design } = await startDesign()
  const { group_id } = await ada.succeed('POST /user_groups/create', { name: 'makers', description: '', members: [] })
  const change = (setting: unknown) =>
    ada.succeed(`PATCH /streams/${design.id}`, { can_send_message_group: { new: setting } })

  await change(group_id)
  await change({ direct_members: [ben.id, ada.id], direct_subgroups: [group_id] })

  const people = [ada, ben].toSorted((one, other) => one.id - other.id)
  const mentions = people.map(({ id }) => `@_**${id === ada.id ? 'Ada' : 'Ben'}|${id}**`).join(', ')
  const notice = (old: string, now: string) =>
    `${who(ada)} changed the [posting permissions](/help/change-a-channel) for this channel:\n\n* **Old**: ${old}\n* **New**: ${now}`
  assert.deepEqual(
    (await messagesIn(design, ben)).map(({ content }) => content),
    [notice('@_*role:everyone*', '@_*makers*'), notice('@_*makers*', `@_*makers*, ${mentions}`)],
  )
  assert.equal((await chat.eventsOf(ben)).filter(({ type }) => type === 'message').length, 2)
})

test('the notice about archiving is the last message in a channel, and is unread for no one', async () => {
  const { ada, ben, design } = await startDesign()

  await ada.succeed(`DELETE /streams/${design.id}`)
  await ada.succeed(`PATCH /streams/${design.id}`, { new_name: 'old design' })
  await ada.call(`DELETE /streams/${design.id}`)

  assert.partialDeepStrictEqual(await messagesIn(design, ben), [
    { subject: 'channel events', content: 'Channel #**design** has been archived.', flags: ['read'] },
  ])
})

test('a refused change is not announced', async () => {
  const { ada, ben, design } = await startDesign()
  await ada.call(`PATCH /streams/${design.id}`, { description: 'new', new_name: '' })

  assert.deepEqual(await messagesIn(design, ben), [])
})

test('a description does not name channels that its author may not see', async () => {
  const { chat, ben } = await startDesign()
  await chat.channel('secret', [], { isPrivate: true })
  const own = await chat.channel('own', [ben], { creatorId: ben.id })

  await ben.succeed(`PATCH /streams/${own.id}`, { description: '#**secret** #**design**' })

  const [notice] = await messagesIn(own, ben, { apply_markdown: true })
  assert.match(notice?.content ?? '', /#<strong>secret<\/strong> <a class="stream"[^>]*>#design<\/a>/)
})

test('names and descriptions with Markdown are shown literally and notify no one', async () => {
  const { ada, ben, design } = await startDesign()

  await ada.succeed(`PATCH /streams/${design.id}`, { new_name: '@**all** `a`', description: '````' })
  await ada.succeed(`DELETE /streams/${design.id}`)

  const said = (await messagesIn(design, ben, { apply_markdown: true })).map(({ content, flags }) => ({
    content,
    flags,
  }))
  const [described, renamed, archived] = said
  assert.match(described?.content ?? '', /New description:.*<code>````\n<\/code><\/pre><\/div>$/s)
  assert.match(
    renamed?.content ?? '',
    /renamed channel <strong>design<\/strong> to <code> @\*\*all\*\* `a` <\/code>\.<\/p>$/,
  )
  assert.match(archived?.content ?? '', /^<p>Channel <code> #@\*\*all\*\* `a` <\/code> has been archived/)
  assert.deepEqual(
    said.map(({ flags }) => flags),
    [[], [], ['read']],
  )
})

test('a group that cannot be mentioned is shown by its name', async () => {
  const { ada, ben, design } = await startDesign()
  const plan = { name: 'a *b* c', description: '', members: [] }
  const { group_id } = await ada.succeed('POST /user_groups/create', plan)

  await ada.succeed(`PATCH /streams/${design.id}`, { can_send_message_group: { new: group_id } })

  const [notice] = await messagesIn(design, ben)
  assert.match(notice?.content ?? '', /\*\*Old\*\*: @_\*role:everyone\*\n\* \*\*New\*\*: `a \*b\* c`$/)
})

test('the notice about posting permissions fits into one message, however many users may post', async () => {
  const { chat, ada, ben, design } = await startDesign()
  const direct_members = [ben.id]
  for (let i = 0; i < 99; i++)
    direct_members.push((await chat.user(`user${i}`, { fullName: `${i}`.padStart(100, 'x') })).id)

  await ada.succeed(`PATCH /streams/${design.id}`, {
    can_send_message_group: { new: { direct_members, direct_subgroups: [] } },
  })

  const [notice] = await messagesIn(design, ben)
  const { length } = notice?.content ?? ''
  assert.deepEqual([length, notice?.content.slice(-20)], [10_000, '\n[message truncated]'])
})

test('renaming a channel waits for a message that is being sent there, without blocking it', async () => {
  const { chat, ada, ben, design } = await startDesign()

  let renaming: Promise<unknown> | undefined
  await chat.app.services.transaction(async (tx) => {
    await lockMessageIds(tx)
    renaming = ada.succeed(`PATCH /streams/${design.id}`, { new_name: 'drawings' })
    await sleep(A_WHILE)
    // Takes the lock that a message in the channel needs. This fails if it would have to wait.
    await tx.db.selectFrom('channels').select('id').where('id', '=', design.id).forKeyShare().noWait().execute()
  })
  await renaming

  assert.equal((await messagesIn(design, ben)).length, 1)
})
