import { setImmediate } from 'node:timers/promises'
import { sendDirect, sendToChannel } from '../messages.ts'
import { openPushBrowser } from '../push-browser.ts'
import { forms, type Stage } from './stage.ts'

/** Changes drafts, snippets and other personal data. */
export async function callPersonal({ ada, ben, cleo, design }: Stage): Promise<void> {
  await ben.succeed('POST /users/me/alert_words', { alert_words: ['tea', 'coffee'] })
  await ben.succeed('GET /users/me/alert_words')
  await ben.succeed('DELETE /users/me/alert_words', { alert_words: ['tea'] })
  await ben.call('POST /users/me/alert_words', { alert_words: ['x'.repeat(101)] })

  await ben.succeed(`POST /users/me/muted_users/${cleo.id}`)
  await ben.call(`POST /users/me/muted_users/${cleo.id}`)
  await ben.call(`POST /users/me/muted_users/${ben.id}`)
  await ben.call('POST /users/me/muted_users/4711')
  await ben.succeed(`DELETE /users/me/muted_users/${cleo.id}`)
  await ben.call(`DELETE /users/me/muted_users/${cleo.id}`)
  await ben.call('DELETE /users/me/muted_users/4711')

  const draft = { type: 'stream', to: [design.id], topic: 'tea', content: 'Not yet', timestamp: 1_893_837_600 }
  const { ids } = await ben.succeed('POST /drafts', {
    drafts: [draft, { ...draft, type: 'private', to: [ada.id], topic: '' }],
  })
  await ben.call('POST /drafts', { drafts: [{ ...draft, to: [1, 2] }] })
  await ben.succeed('GET /drafts')
  await ben.succeed(`PATCH /drafts/${ids[0]}`, { draft: { ...draft, content: 'Soon' } })
  await ben.succeed(`DELETE /drafts/${ids[0]}`)
  await ben.call(`PATCH /drafts/${ids[0]}`, { draft })
  await ben.call(`DELETE /drafts/${ids[0]}`)

  const snippet = { title: 'Hello', content: 'Hello, and welcome' }
  const { saved_snippet_id } = await ben.succeed('POST /saved_snippets', snippet)
  await ben.call('POST /saved_snippets', { ...snippet, title: '' })
  await ben.succeed('GET /saved_snippets')
  await ben.succeed(`PATCH /saved_snippets/${saved_snippet_id}`, { title: 'Hi' })
  await ben.succeed(`DELETE /saved_snippets/${saved_snippet_id}`)
  await ben.call(`PATCH /saved_snippets/${saved_snippet_id}`, { title: 'Hi' })
  await ben.call(`DELETE /saved_snippets/${saved_snippet_id}`)
}

/** Registers a browser for notifications about messages, and nothing more. */
export async function callWebPush({ ben, chat }: Stage): Promise<void> {
  const { browser, keys, subscribe } = await openPushBrowser(chat, ben)
  await browser.call('PUT /web_push/subscription', { ...keys, auth: '' })
  await subscribe()
  await browser.call('GET /web_push/subscription')
  await browser.call('DELETE /web_push/subscription')
  await browser.call('DELETE /web_push/subscription')
  await ben.call('PUT /web_push/subscription', keys)
}

/** Schedules messages, and sets reminders. */
export async function callScheduledMessages({ ada, ben, design, chat }: Stage): Promise<void> {
  const at = chat.clock.now() + 3600
  const inChannel = { type: 'channel', to: design.id, topic: 'tea', content: 'Later' }
  const schedule = (params: Record<string, unknown>) => ben.call('POST /scheduled_messages', params)
  const { scheduled_message_id: id } = await schedule({ ...inChannel, scheduled_delivery_timestamp: at })
  await schedule({ type: 'direct', to: [ada.id], content: 'Later', scheduled_delivery_timestamp: at })
  await schedule({ ...inChannel, to: 4711, scheduled_delivery_timestamp: at })
  await schedule({ type: 'direct', to: [4711], content: 'Later', scheduled_delivery_timestamp: at })
  await ben.succeed('GET /scheduled_messages')
  await ben.succeed('POST /register', { event_types: ['scheduled_messages'] })
  await ben.succeed(`PATCH /scheduled_messages/${id}`, { content: 'Still later' })
  await ben.call(`PATCH /scheduled_messages/${id}`, { to: 4711 })
  await ben.call(`PATCH /scheduled_messages/${id}`, { type: 'direct', to: [4711] })
  await ben.succeed(`DELETE /scheduled_messages/${id}`)
  await ben.call(`PATCH /scheduled_messages/${id}`, { content: 'Never' })
  await ben.call(`DELETE /scheduled_messages/${id}`)
  const message_id = await sendToChannel(ada, design)
  const remind = (params: Record<string, unknown>) =>
    ben.call('POST /reminders', { message_id, scheduled_delivery_timestamp: at, ...params })
  const { reminder_id } = await remind({ note: 'Answer it' })
  await remind({})
  await remind({ message_id: 4711 })
  await remind({ note: 'x'.repeat(501) })
  await ben.succeed('GET /reminders')
  await ben.succeed('POST /register', { event_types: ['reminders'] })
  await ben.succeed(`PATCH /reminders/${reminder_id}`, { note: '' })
  await ben.call(`PATCH /reminders/${reminder_id}`)
  await ben.succeed(`DELETE /reminders/${reminder_id}`)
  await ben.call(`PATCH /reminders/${reminder_id}`, { note: '' })
  await ben.call(`DELETE /reminders/${reminder_id}`)
  await chat.clock.advance(4000)
}

/** Creates data of many kinds, registers to fetch it, and polls a queue. */
export async function callSync({ ada, ben, cleo, gus, design, chat }: Stage): Promise<void> {
  await sendToChannel(ben, design, '@**all**', '')
  await sendDirect(ben, [ada, cleo])
  await chat.channel('not-mine', [ben])
  const left = await chat.channel('left', [ada])
  await ada.succeed('DELETE /users/me/subscriptions', { subscriptions: [left.name] })
  const gone = await chat.user('gone')
  await ada.succeed(`DELETE /users/${gone.id}`)
  const draft = { type: 'stream', to: [design.id], topic: 'tea', content: 'Not yet' }
  await ada.succeed('POST /drafts', { drafts: [draft] })
  await ada.succeed('POST /saved_snippets', { title: 'Hello', content: 'Hello, and welcome' })
  await ada.succeed('POST /user_topics', { stream_id: design.id, topic: 'tea', visibility_policy: 1 })
  await ada.succeed(`POST /users/me/muted_users/${cleo.id}`)
  await ada.succeed('POST /realm/filters', { pattern: '#(?P<id>[0-9]+)', url_template: 'https://example.com/{id}' })
  for (const form of forms) await ada.succeed('POST /register', form)
  await ada.succeed('POST /register', { event_types: ['muted_topics'] })

  await gus.succeed('POST /register', { fetch_event_types: ['message', 'update_message_flags'] })
  const { queue_id } = await ada.succeed('POST /register', { event_types: ['message'] })
  await gus.call('GET /events', { queue_id, last_event_id: -1 })
  await pollUntilHeartbeat(ada, queue_id, chat)
  await ada.succeed('DELETE /events', { queue_id })
  await ada.call('DELETE /events', { queue_id })
}

/** Polls the queue until the only event is a heartbeat. */
async function pollUntilHeartbeat(person: Stage['ada'], queue_id: string, chat: Stage['chat']): Promise<void> {
  const { hub } = chat.app.services
  const before = hub.counts().waitingPolls
  const poll = person.succeed('GET /events', { queue_id, last_event_id: -1 })
  while (hub.counts().waitingPolls === before) await setImmediate()
  await chat.clock.advance(60)
  await poll
}
