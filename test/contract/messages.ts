import { sendFiles, upload } from '../files.ts'
import { sendDirect, sendToChannel } from '../messages.ts'
import { picture } from '../pictures.ts'
import type { Stage } from './stage.ts'

/** Sends, reads, changes and deletes messages. */
export async function callMessages(stage: Stage): Promise<void> {
  const { ada, ben, cleo, gus, bot, design, chat } = stage
  await ada.succeed('POST /realm/filters', { pattern: '#(?P<id>[0-9]+)', url_template: 'https://example.com/{id}' })
  const tea = await chat.channel('tea', [ada, ben])
  const { queue_id } = await ada.succeed('POST /register', { event_types: ['message'] })
  const sent = { type: 'channel', to: 'design', topic: 'plans #7', content: 'See #**design>plans** and @**Ben**' }
  const { id } = await ada.succeed('POST /messages', { ...sent, queue_id, local_id: '7.1', read_by_sender: true })
  await ada.succeed('GET /events', { queue_id, last_event_id: -1 })
  const direct = await sendDirect(ada, [ben, cleo], '/me waves')
  const toSelf = await sendDirect(ben, [ben])

  await ada.succeed('POST /messages', { type: 'direct', to: [bot.id], content: 'hi' })
  await ada.call('POST /messages', { type: 'channel', to: 'nowhere', topic: 'x', content: 'x' })
  await ada.call('POST /messages', { type: 'channel', to: 4711, topic: 'x', content: 'x' })
  await ada.call('POST /messages', { type: 'direct', to: ['nobody@example.com'], content: 'x' })
  await chat.change({ can_mention_many_users_group: 'role:nobody' })
  await mentionCrowds(stage)

  const narrow = [{ operator: 'search', operand: 'plans' }]
  const around = { anchor: id, num_before: 5, num_after: 5 }
  for (const person of [ada, gus]) {
    await person.succeed('GET /messages', { ...around, narrow: [['channel', 'design']] })
    await person.succeed('GET /messages', { ...around, narrow, apply_markdown: false, client_gravatar: false })
  }
  await ben.succeed('GET /messages', { message_ids: [id, direct, toSelf] })
  await ben.succeed('GET /messages/matches_narrow', { msg_ids: [id], narrow })
  await ben.succeed(`GET /messages/${id}`)
  await ben.succeed(`GET /messages/${direct}`, { apply_markdown: false })
  await gus.call(`GET /messages/${direct}`)
  await ben.succeed('POST /messages/render', { content: '**bold**' })

  await ada.succeed(`PATCH /messages/${id}`, { content: 'Changed', topic: 'tasks #8', propagate_mode: 'change_all' })
  await ada.succeed(`PATCH /messages/${id}`, { stream_id: tea.id, send_notification_to_old_thread: true })
  await ada.succeed(`PATCH /messages/${direct}`, { content: 'Changed' })
  await ben.call(`PATCH /messages/${direct}`, { content: 'Not mine' })
  await ben.succeed(`GET /messages/${id}/history`)
  await ben.succeed(`GET /messages/${id}`)
  await gus.call(`GET /messages/${direct}/history`)
  await ada.succeed('GET /messages', { ...around, narrow: [['channel', 'tea']] })

  const mine = await sendToChannel(ben, design, 'mine', 'tea')
  const mineToo = await sendToChannel(ben, design, 'mine, too', 'tea')
  await gus.call(`DELETE /messages/${direct}`)
  await ada.succeed(`DELETE /messages/${mine}`)
  await chat.change({ can_delete_own_message_group: 'role:administrators' })
  await ben.call(`DELETE /messages/${mineToo}`)
  await ada.succeed(`DELETE /messages/${await sendDirect(ada, [ben])}`)
  await moveLate(stage)
}

/** Sends wildcard mentions that would notify more users than permitted. */
async function mentionCrowds({ chat, ben }: Stage): Promise<void> {
  const people = [ben]
  while (people.length < 17) people.push(await chat.user(`p${people.length}`))
  const crowd = await chat.channel('crowd', people)
  for (const person of people) await sendToChannel(person, crowd, 'here', 'roll call')
  const own = await sendToChannel(ben, crowd, 'everybody?', 'roll call')
  for (const content of ['@**all**', '@**topic**']) {
    await ben.call('POST /messages', { type: 'channel', to: 'crowd', topic: 'roll call', content })
    await ben.call(`PATCH /messages/${own}`, { content })
  }
}

/** Moves part of a topic after the time limit. */
async function moveLate({ chat, ada, ben, design }: Stage): Promise<void> {
  await chat.change({
    move_messages_within_stream_limit_seconds: 3600,
    can_move_messages_between_topics_group: 'role:members',
  })
  await sendToChannel(ada, design, 'old', 'long ago')
  await chat.clock.advance(7200)
  const recent = await sendToChannel(ada, design, 'new', 'long ago')
  await ben.call(`PATCH /messages/${recent}`, { topic: 'today', propagate_mode: 'change_all' })
}

const VOTE = '{"type": "vote", "key": "canned,0", "vote": 1}'

/** Changes reactions and flags of existing messages. */
export async function callReactionsAndFlags({ ada, ben, gus, cleo, design, chat }: Stage): Promise<void> {
  const id = await sendToChannel(ada, design, 'Shall we?')
  const direct = await sendDirect(ada, [ben])
  await sendFiles(chat, ada, '/realm/emoji/gizmo', { name: 'gizmo.png', bytes: await picture(20, 20) })
  const reactions = `/messages/${id}/reactions`
  for (const emoji_name of ['tada', 'gizmo', 'parley']) await ben.succeed(`POST ${reactions}`, { emoji_name })
  await ben.call(`POST ${reactions}`, { emoji_name: 'tada' })
  await ben.call(`POST ${reactions}`, { emoji_name: 'tada', emoji_code: 'ffff', reaction_type: 'unicode_emoji' })
  await ben.succeed(`GET /messages/${id}`)
  await ben.succeed(`DELETE ${reactions}`, { emoji_name: 'tada' })
  await ben.call(`DELETE ${reactions}`, { emoji_name: 'tada' })
  await ben.call(`DELETE ${reactions}`, { emoji_name: 'tada', emoji_code: 'xyz', reaction_type: 'unicode_emoji' })

  const poll = { msg_type: 'widget', content: '{"widget_type": "poll", "extra_data": {"question": "?"}}' }
  await ada.succeed('POST /submessage', { message_id: id, ...poll })
  await ben.succeed('POST /submessage', { message_id: id, msg_type: 'widget', content: VOTE })
  await ben.succeed(`GET /messages/${id}`)
  await ben.succeed('GET /messages', { message_ids: [id] })

  const all = { anchor: 'oldest', num_before: 0, num_after: 100 }
  const calling = await sendToChannel(ada, design, '@**Ben**')
  for (const op of ['add', 'remove']) {
    await ben.succeed('POST /messages/flags', { messages: [id, direct, calling], op, flag: 'read' })
    await ben.succeed('POST /messages/flags', { messages: [id, direct], op, flag: 'starred' })
    await ben.succeed('POST /messages/flags/narrow', { ...all, narrow: [['channel', 'design']], op, flag: 'read' })
  }
  await cleo.succeed('POST /messages/flags/narrow', { ...all, narrow: [['is', 'dm']], op: 'add', flag: 'read' })
  await ben.succeed(`GET /messages/${id}/read_receipts`)
  await gus.call(`GET /messages/${direct}/read_receipts`)
  await gus.succeed('POST /mark_topic_as_read', { stream_id: design.id, topic_name: 'tea' })
  await cleo.succeed('POST /mark_stream_as_read', { stream_id: design.id })
  await ben.succeed('POST /mark_all_as_read')

  const elsewhere = await chat.channel('elsewhere', [ada])
  await sendToChannel(ada, elsewhere)
  await cleo.succeed('POST /messages/flags/narrow', {
    ...all,
    narrow: [['channel', 'elsewhere']],
    op: 'add',
    flag: 'read',
  })
  await cleo.succeed('POST /messages/flags', {
    messages: [await sendToChannel(ada, elsewhere)],
    op: 'remove',
    flag: 'read',
  })
}

/** Sends typing notifications. */
export async function callTyping({ ada, ben, cleo, design }: Stage): Promise<void> {
  const inChannel = await sendToChannel(ada, design)
  const direct = await sendDirect(ada, [ben, cleo])
  for (const op of ['start', 'stop']) {
    await ada.succeed('POST /typing', { op, to: [ben.id, cleo.id] })
    await ada.succeed('POST /typing', { type: 'channel', op, stream_id: design.id, topic: 'tea' })
    await ada.succeed(`POST /messages/${inChannel}/typing`, { op })
    await ada.succeed(`POST /messages/${direct}/typing`, { op })
  }
  await ada.call('POST /typing', { type: 'channel', op: 'start', topic: 'tea' })
}

/** Uploads files and sends them in messages. */
export async function callUploads({ ada, ben, design, chat }: Stage): Promise<void> {
  const url = await upload(chat, ben)
  await ben.succeed(`GET ${url}`)
  const id = await sendToChannel(ben, design, `[a](${url})`)
  await ben.succeed('GET /attachments')
  await ben.succeed(`PATCH /messages/${id}`, { content: 'No file left' })
  const { attachments } = await ben.succeed('GET /attachments')
  await ben.succeed(`DELETE /attachments/${attachments[0].id}`)
  await ada.call(`DELETE /attachments/${attachments[0].id}`)
  const headers = { host: 'parley.test' }
  await chat.request({ method: 'DELETE', path: `/api/v1/attachments/${attachments[0].id}`, headers })
}
