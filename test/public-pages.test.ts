import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { logIn, openBrowser, submitPassword } from './browser.ts'
import { type Chat, startChat } from './harness.ts'
import { sendToChannel } from './messages.ts'

/** Starts an organization with a web-public channel that has a topic with one message, and a private channel. */
async function startOpenChat(secret = 'a secret') {
  const chat = await startChat()
  await chat.change({ enable_spectator_access: true, description: 'A club for *tea*' })
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben', { fullName: 'Benjamin Hidden' })
  const open = await chat.channel('open', [ada], { isWebPublic: true, renderedDescription: '<p>All about tea</p>' })
  const hidden = await chat.channel('vault', [ada, ben], { isPrivate: true })
  const id = await sendToChannel(ada, open, 'hello :tada: **world**', 'green tea & more')
  await sendToChannel(ben, hidden, secret, secret)
  return Object.assign(chat, { ada, ben, open, hidden, id })
}

const topicPath = ({ open }: { open: { id: number } }, more = '') =>
  `/channels/${open.id}?topic=green+tea+%26+more${more}`

/** Returns where a visitor without an account gets, with the page. */
const visit = (chat: Chat, path: string) => openBrowser(chat).open(path)

test('a visitor reads the channels, topics and messages that are open, without scripts', async () => {
  const chat = await startOpenChat()

  const list = await visit(chat, '/public/')
  const channel = await visit(chat, `/channels/${chat.open.id}`)
  const topic = await visit(chat, topicPath(chat))

  assert.match(list.body, new RegExp(`<a href="/channels/${chat.open.id}"># open</a>`))
  assert.match(list.body, /A club for <em>tea<\/em>/)
  assert.match(channel.body, /<a href="[^"]+" dir="auto">green tea &amp; more<\/a>/)
  assert.match(topic.body, /hello <span [^>]+>🎉<\/span> <strong>world<\/strong>/)
  assert.match(topic.text, /Ada/)
  for (const { status, headers, body } of [list, channel, topic]) {
    assert.equal(status, 200)
    assert.match(String(headers['content-security-policy']), /^default-src 'none'; style-src 'self'; img-src 'self'/)
    assert.doesNotMatch(body, /<script|<form|vault|Benjamin|example\.com/i)
    assert.match(body, />Sign in to reply</)
    assert.match(body, /<a class="button button-primary" href="\/login\/\?next=/)
  }
})

test('links to messages lead to their conversation, even if they were moved', async () => {
  const chat = await startOpenChat()
  const { ada, open, id } = chat
  for (let times = 0; times < 60; times += 1) await sendToChannel(ada, open, `filler ${times}`, 'green tea & more')
  await ada.succeed(`PATCH /messages/${id}`, { topic: 'moved', propagate_mode: 'change_one' })

  const linked = await visit(chat, topicPath(chat, `&near=${id}`))
  const newest = await visit(chat, topicPath(chat))
  const older = await visit(chat, /href="([^"]+)" rel="prev"/.exec(newest.body)?.[1]?.replace('&amp;', '&') ?? '')
  const newer = await visit(chat, /href="([^"]+)" rel="next"/.exec(older.body)?.[1]?.replace('&amp;', '&') ?? '')

  assert.equal(linked.path, `/channels/${open.id}?topic=moved&at=${id}#m${id}`)
  assert.match(linked.body, new RegExp(`id="m${id}"`))
  const fillers = (body: string) => body.match(/filler \d+(?=<)/g) ?? []
  assert.deepEqual([fillers(newest.body).length, fillers(older.body).length], [50, 10])
  assert.deepEqual(fillers(newer.body), fillers(newest.body))
})

test('conversations that are not open lead to the login page, as if they did not exist', async () => {
  const chat = await startOpenChat()
  const { open, hidden } = chat

  for (const id of [hidden.id, 9999])
    assert.equal((await visit(chat, `/channels/${id}?topic=x`)).path, `/login/?next=%2Fchannels%2F${id}%3Ftopic%3Dx`)
  for (const path of ['/inbox', '/dm/4', `/channels/${open.id}/settings/general`])
    assert.equal((await visit(chat, path)).path, `/login/?next=${encodeURIComponent(path)}`)
  assert.equal((await visit(chat, `/channels/${open.id}?topic=none`)).status, 404)
  assert.match((await visit(chat, '/login/')).body, /<a href="\/public\/">Read public channels<\/a>/)
})

test('a page is gone as soon as it is no longer open, also from the cache', async () => {
  const chat = await startOpenChat()
  const { ada, open, id } = chat
  const isShown = async () => /hello /.test((await visit(chat, topicPath(chat))).body)
  const change = (path: string, params: Record<string, unknown>) => ada.succeed(`PATCH ${path}`, params)

  for (const [close, reopen] of [
    [
      () => change(`/streams/${open.id}`, { is_web_public: false }),
      () => change(`/streams/${open.id}`, { is_web_public: true }),
    ],
    [
      () => change('/realm', { enable_spectator_access: false }),
      () => change('/realm', { enable_spectator_access: true }),
    ],
    [
      () => change(`/messages/${id}`, { topic: 'other' }),
      () => change(`/messages/${id}`, { topic: 'green tea & more' }),
    ],
  ] as const) {
    assert.ok(await isShown())
    await close()
    assert.ok(!(await isShown()))
    await reopen()
  }
  await change(`/messages/${id}`, { content: 'changed' })
  assert.match((await visit(chat, topicPath(chat))).body, /changed/)
  await ada.succeed(`DELETE /messages/${id}`)
  assert.doesNotMatch((await visit(chat, topicPath(chat))).body, /changed/)
  await ada.succeed(`DELETE /streams/${open.id}`)
  assert.match((await visit(chat, topicPath(chat))).path, /^\/login\//)
})

test('public pages do not depend on anything that is not open', async () => {
  const pagesOf = async (secret: string) => {
    const chat = await startOpenChat(secret)
    await chat.ben.succeed('PATCH /settings', { full_name: secret })
    await chat.ada.succeed(`PATCH /streams/${chat.hidden.id}`, { new_name: secret })
    const paths = [
      '/public/',
      `/channels/${chat.open.id}`,
      topicPath(chat),
      `/channels/${chat.hidden.id}`,
      '/robots.txt',
    ]
    const views = []
    for (const path of paths) views.push(await visit(chat, path))
    return views.map(({ status, path, body }) => ({ status, path, body }))
  }

  assert.deepEqual(await pagesOf('the dragon'), await pagesOf('another'))
})

test('search engines find public pages only if the organization wants it', async () => {
  const chat = await startOpenChat()
  const robots = async () => (await visit(chat, '/robots.txt')).body

  const closed = [await robots(), await visit(chat, topicPath(chat))] as const
  await chat.ada.succeed('PATCH /realm', { allow_search_engines: true })
  const open = [await robots(), await visit(chat, topicPath(chat))] as const
  const linked = await visit(chat, topicPath(chat, `&near=${chat.id}`))

  assert.equal(closed[0], 'User-agent: *\nDisallow: /\n')
  assert.equal(closed[1].headers['x-robots-tag'], 'noindex')
  assert.match(open[0], /^Allow: \/channels\/$/m)
  assert.match(open[0], /^Disallow: \/$/m)
  assert.equal(open[1].headers['x-robots-tag'], undefined)
  assert.doesNotMatch(open[1].body, /noindex/)
  assert.match(linked.body, /noindex/)
  await chat.change({ enable_spectator_access: false })
  assert.equal(await robots(), 'User-agent: *\nDisallow: /\n')
})

test('programs get public pages, too, and nothing else', async () => {
  const chat = await startOpenChat()
  const statusOf = async (path: string) =>
    (await chat.request({ method: 'GET', path, headers: { host: 'parley.test', accept: '*/*' } })).status

  assert.equal(await statusOf(topicPath(chat)), 200)
  assert.equal(await statusOf(`/channels/${chat.hidden.id}?topic=x`), 404)
  assert.equal(await statusOf(`/channels/${chat.open.id}/settings/general`), 404)
})

test('previews of links name the organization, the conversation and the first words', async () => {
  const chat = await startOpenChat()

  const { body } = await visit(chat, topicPath(chat))

  const tags = Object.fromEntries(
    Array.from(body.matchAll(/<meta property="og:(\w+)" content="([^"]*)">/g), ([, name, content]) => [name, content]),
  )
  assert.deepEqual(tags, {
    site_name: 'Example',
    type: 'website',
    title: '#open › green tea &amp; more',
    description: 'hello 🎉 world',
    url: `http://parley.test/channels/${chat.open.id}?topic=green+tea+%26+more`,
    image: 'http://parley.test/static/organization-icon.png',
  })
})

test('text of users stays text, in titles, previews and addresses', async () => {
  const chat = await startOpenChat()
  const evil = '"><script>alert(1)</script>'
  await sendToChannel(chat.ada, chat.open, `${evil} [x](javascript:alert(1))`, evil)

  const view = await visit(chat, `/channels/${chat.open.id}?topic=${encodeURIComponent(evil)}`)
  const missing = await visit(chat, `/channels/${chat.open.id}?topic=${encodeURIComponent(`${evil}x`)}`)

  assert.equal(view.status, 200)
  assert.equal(missing.status, 404)
  for (const { body } of [view, missing]) assert.doesNotMatch(body, /<script|content="">|href="javascript/)
})

test('users who are logged in get the web client at the same address', async () => {
  const chat = await startOpenChat()
  await submitPassword(chat, chat.ada)
  const browser = await logIn(chat, chat.ada.email)

  const view = await browser.open(topicPath(chat))

  assert.match(view.body, /Welcome, Ada/)
})

test('visitors of one network have a limit, and get a page that says so', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true } })
  await chat.change({ enable_spectator_access: true })

  for (let times = 0; times < 200; times += 1) await visit(chat, '/public/')
  const refused = await visit(chat, '/public/')

  assert.equal(refused.status, 429)
  assert.equal(typeof refused.headers['retry-after'], 'string')
})
