import assert from 'node:assert/strict'
import { test } from 'node:test'
import { externalContentPath } from '#lib/external-content-address.ts'
import { RENDERER_VERSION } from '#markdown/render.ts'
import { Role } from '#rules/role.ts'
import { type Chat, type StartOptions, startChat } from '../../../test/harness.ts'
import { fetchMessage, sendDirect, sendToChannel } from '../../../test/messages.ts'

const TEA = 'https://example.com/tea'
const COFFEE = 'https://example.com/coffee'
const DOWN = 'https://example.com/down'
const PLAYER = 'https://example.com/player'
const VIMEO = 'https://vimeo.com/76979871'
const YOUTUBE = 'https://www.youtube.com/watch?v=hx1mjT73xYE'
const PAGES: Readonly<Record<string, string>> = {
  [TEA]: '<title>Tea</title><meta name="description" content="Leaves &amp; water">',
  [COFFEE]: '<title>Coffee</title><meta property="og:image" content="/cup.png">',
  [PLAYER]: '<title>Cups</title><link rel="alternate" type="application/json+oembed" href="/oembed?u=player">',
}

/** JSON documents that describe a photo or video. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'https://example.com/oembed?u=player': JSON.stringify({
    type: 'photo',
    title: 'A cup',
    url: 'https://pictures.example.com/cup.png',
  }),
  [`https://vimeo.com/api/oembed.json?url=${encodeURIComponent(VIMEO)}`]: JSON.stringify({
    type: 'video',
    title: 'Pouring "tea" <slowly>',
    thumbnail_url: 'https://i.vimeocdn.com/pour.jpg',
    html: '<iframe src="https://player.vimeo.com/video/76979871"></iframe>',
  }),
  [`https://www.youtube.com/oembed?format=json&url=${encodeURIComponent(YOUTUBE)}`]: JSON.stringify({
    type: 'video',
    title: 'A debate',
    thumbnail_url: 'https://i.ytimg.com/vi/hx1mjT73xYE/hqdefault.jpg',
  }),
}

const link = (url: string) => `<a href="${url}">${url}</a>`
const TEA_CARD =
  `<div class="message_embed"><div class="data-container"><div class="message_embed_title">` +
  `<a href="${TEA}" title="Tea">Tea</a></div><div class="message_embed_description">Leaves &amp; water</div></div></div>`
const proxied = ({ app }: Chat, url: string) =>
  externalContentPath({ secret: app.services.secret, privateHosts: [] }, url) ?? assert.fail(url)
const coffeeCardOf = (chat: Chat) =>
  `<div class="message_embed"><a class="message_embed_image" href="${COFFEE}" ` +
  `style="background-image: url(&quot;${proxied(chat, 'https://example.com/cup.png')}&quot;)"></a>` +
  `<div class="data-container"><div class="message_embed_title"><a href="${COFFEE}" title="Coffee">Coffee</a></div></div></div>`

/** Starts a server with previews. Returns the URLs that the server requests, and a gate that can hold requests back. */
async function startWithPreviews(options: StartOptions = {}) {
  const requested: string[] = []
  const gate = {
    opened: Promise.resolve(),
    /** Holds back all requests until the returned function is called. */
    close() {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate.opened = promise
      return resolve
    },
  }
  const chat = await startChat({
    ...options,
    async fetchPage(url, _signal, format) {
      requested.push(url)
      await gate.opened
      if (url === DOWN) return 'unreachable'
      const text = DESCRIPTIONS[url]
      if (format === 'json') return text === undefined ? null : { url, html: text }
      const html = PAGES[url]
      return html === undefined ? null : { url, html }
    },
  })
  await chat.change({ inline_url_embed_preview: true })
  const ada = await chat.user('ada', { role: Role.owner })
  const design = await chat.channel('design', [ada])
  const contentOf = async (id: number) => (await fetchMessage(ada, id)).content as string
  return { chat, ada, design, requested, gate, contentOf }
}

const settle = (chat: Chat) => chat.app.jobs.linkPreviews.settled()

test('a message gets the previews of the websites that it links to, with an event that is not an edit', async () => {
  const { chat, ada, design, gate, contentOf } = await startWithPreviews()
  const open = gate.close()

  const id = await sendToChannel(ada, design, `${TEA} and ${COFFEE}`)
  const before = await fetchMessage(ada, id)
  open()
  await settle(chat)

  const html = `<p>${link(TEA)} and ${link(COFFEE)}</p>\n${TEA_CARD}${coffeeCardOf(chat)}`
  assert.equal(before.content, `<p>${link(TEA)} and ${link(COFFEE)}</p>`)
  assert.deepEqual(await fetchMessage(ada, id), { ...before, content: html })
  assert.deepEqual((await chat.eventsOf(ada)).at(-1), {
    type: 'update_message',
    user_id: null,
    edit_timestamp: Math.floor(chat.clock.now()),
    message_id: id,
    message_ids: [id],
    rendering_only: true,
    content: `${TEA} and ${COFFEE}`,
    rendered_content: html,
    flags: [],
  })
  assert.equal(await contentOf(id), html)
})

test('nothing is requested by default, and never if the operator turned previews off', async () => {
  const { chat, ada, design, requested } = await startWithPreviews({ settings: { LINK_PREVIEWS: false } })
  const [off] = [await ada.succeed('POST /register', { fetch_event_types: ['realm'] })]
  await sendToChannel(ada, design, TEA)
  await settle(chat)
  const other = await startWithPreviews()
  await other.chat.change({ inline_url_embed_preview: false })
  await sendToChannel(other.ada, other.design, TEA)
  await settle(other.chat)
  const on = await other.ada.succeed('POST /register', { fetch_event_types: ['realm'] })

  assert.deepEqual([off['server_inline_url_embed_preview'], on['server_inline_url_embed_preview']], [false, true])
  assert.deepEqual([...requested, ...other.requested], [])
})

test('a spoiler hides the previews of its links, and an address is requested as browsers open it', async () => {
  const { chat, ada, design, requested, contentOf } = await startWithPreviews()

  const hidden = await sendToChannel(ada, design, `\`\`\`spoiler Ending\n${TEA}\n\`\`\``)
  await sendToChannel(ada, design, 'https://example.com/?size=1&amp;hot=1')
  await settle(chat)

  assert.doesNotMatch(await contentOf(hidden), /message_embed/)
  assert.deepEqual(requested, ['https://example.com/?size=1&hot=1'])
})

test('an administrator turns previews on', async () => {
  const { chat, ada } = await startWithPreviews()
  await chat.change({ inline_url_embed_preview: false })

  await ada.succeed('PATCH /realm', { inline_url_embed_preview: true })

  const { realm_inline_url_embed_preview } = await ada.succeed('POST /register', { fetch_event_types: ['realm'] })
  assert.equal(realm_inline_url_embed_preview, true)
})

test('quotes, code, pictures, other schemes and bots cause no request', async () => {
  const { chat, ada, design, requested } = await startWithPreviews()
  const bot = await chat.user('bot', { botType: 1, owner: ada })
  await ada.succeed('POST /users/me/subscriptions', {
    subscriptions: [{ name: 'design' }],
    principals: [bot.id],
  })

  await sendToChannel(
    ada,
    design,
    `> ${TEA}\n\n\`${TEA}\` https://example.com/a.png ftp://example.com mailto:a@b.example`,
  )
  await sendToChannel(bot, design, TEA)
  await settle(chat)

  assert.deepEqual(requested, [])
})

test('the first five links of a message are previewed, in direct messages, too', async () => {
  const { chat, ada, requested } = await startWithPreviews()
  const urls = [1, 2, 3, 4, 5, 6].map((number) => `https://example.com/${number}`)

  await sendDirect(ada, [ada], [...urls, ...urls].join(' '))
  await settle(chat)

  assert.deepEqual(requested, urls.slice(0, 5))
})

test('an edit keeps the preview of a link that stays, and requests that of a new link', async () => {
  const { chat, ada, design, requested, gate, contentOf } = await startWithPreviews()
  const id = await sendToChannel(ada, design, TEA)
  await settle(chat)
  const open = gate.close()

  await ada.succeed(`PATCH /messages/${id}`, { content: `${TEA} ${COFFEE}` })
  const atOnce = await contentOf(id)
  open()
  await settle(chat)
  const later = await contentOf(id)
  await ada.succeed(`PATCH /messages/${id}`, { content: COFFEE })

  assert.equal(atOnce, `<p>${link(TEA)} ${link(COFFEE)}</p>\n${TEA_CARD}`)
  assert.equal(later, `<p>${link(TEA)} ${link(COFFEE)}</p>\n${TEA_CARD}${coffeeCardOf(chat)}`)
  assert.equal(await contentOf(id), `<p>${link(COFFEE)}</p>\n${coffeeCardOf(chat)}`)
  assert.deepEqual(requested, [TEA, COFFEE])
})

test('a website is requested once a day, one without a preview once an hour, and one that is down every five minutes', async () => {
  const { chat, ada, design, requested } = await startWithPreviews()
  const missing = 'https://example.com/missing'
  const sendAfter = async (seconds: number) => {
    await chat.clock.advance(seconds)
    await sendToChannel(ada, design, `${TEA} ${missing} ${DOWN}`)
    await settle(chat)
    return requested.splice(0)
  }

  assert.deepEqual(await sendAfter(0), [TEA, missing, DOWN])
  assert.deepEqual(await sendAfter(240), [])
  assert.deepEqual(await sendAfter(60), [DOWN])
  assert.deepEqual(await sendAfter(2700), [DOWN])
  assert.deepEqual(await sendAfter(3000), [missing, DOWN])
  assert.deepEqual(await sendAfter(86_400), [TEA, missing, DOWN])
})

test('a message that is edited or deleted while its website is requested is left alone', async () => {
  const { chat, ada, design, requested, gate, contentOf } = await startWithPreviews()
  const open = gate.close()
  const edited = await sendToChannel(ada, design, TEA)
  while (requested.length === 0) await new Promise((wait) => setTimeout(wait, 1))

  await ada.succeed(`PATCH /messages/${edited}`, { content: 'no link' })
  const deleted = await sendToChannel(ada, design, COFFEE)
  await ada.succeed(`DELETE /messages/${deleted}`)
  open()
  await settle(chat)

  assert.equal(await contentOf(edited), '<p>no link</p>')
  assert.deepEqual(requested, [TEA])
})

test('the messages of one sender wait for each other, up to twenty, and not for those of others', async () => {
  const { chat, ada, design, requested, gate } = await startWithPreviews()
  const ben = await chat.user('ben')
  await ada.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'design' }], principals: [ben.id] })
  const open = gate.close()
  await sendToChannel(ada, design, 'https://example.com/first')
  while (requested.length < 1) await new Promise((wait) => setTimeout(wait, 1))

  for (let number = 1; number <= 25; number++) await sendToChannel(ada, design, `https://example.com/${number}`)
  await sendToChannel(ben, design, TEA)
  while (requested.length < 2) await new Promise((wait) => setTimeout(wait, 1))
  const whileHeld = [...requested]
  open()
  await settle(chat)

  assert.deepEqual(whileHeld, ['https://example.com/first', TEA])
  assert.equal(requested.length, 2 + 20)
})

test('a message that is rendered again keeps its previews', async () => {
  const { chat, ada, design, requested, contentOf } = await startWithPreviews()
  const id = await sendToChannel(ada, design, `**new** ${COFFEE}`)
  await settle(chat)
  const before = await contentOf(id)
  await chat.app.services.transaction((tx) =>
    tx
      .updateTable('messages')
      .set({ renderedVersion: RENDERER_VERSION - 1, renderedContent: before.replace('strong', 'em') })
      .where('id', '=', id)
      .execute(),
  )

  await contentOf(id)
  await chat.app.jobs.rerendering.settled()

  assert.equal(await contentOf(id), before)
  assert.ok(before.includes(coffeeCardOf(chat)))
  assert.deepEqual(requested, [COFFEE])
})

test('a photo or video of a service is shown as its picture with its title, without code of the service', async () => {
  const { chat, ada, design, requested, contentOf } = await startWithPreviews()

  const id = await sendToChannel(ada, design, `${VIMEO} ${PLAYER}`)
  await settle(chat)
  const html = await contentOf(id)
  await ada.succeed(`PATCH /messages/${id}`, { content: `${VIMEO} again` })

  const video =
    `<div class="embed-video message_inline_image"><a href="${VIMEO}" title="Pouring &quot;tea&quot; &lt;slowly&gt;">` +
    `<img src="${proxied(chat, 'https://i.vimeocdn.com/pour.jpg')}"></a></div>`
  const photo =
    `<div class="message_inline_image"><a href="${PLAYER}" title="A cup">` +
    `<img src="${proxied(chat, 'https://pictures.example.com/cup.png')}"></a></div>`
  assert.equal(html, `<p>${link(VIMEO)} ${link(PLAYER)}</p>\n${video}${photo}`)
  assert.equal(await contentOf(id), `<p>${link(VIMEO)} again</p>\n${video}`)
  await settle(chat)
  assert.deepEqual(requested, [
    `https://vimeo.com/api/oembed.json?url=${encodeURIComponent(VIMEO)}`,
    PLAYER,
    'https://example.com/oembed?u=player',
  ])
})

test('a service that does not describe a video is asked for the page', async () => {
  const { chat, ada, design, requested, contentOf } = await startWithPreviews()
  const other = 'https://vimeo.com/1'

  const id = await sendToChannel(ada, design, other)
  await settle(chat)

  assert.equal(requested.at(-1), other)
  assert.equal(await contentOf(id), `<p>${link(other)}</p>`)
})

test('the thumbnail of a YouTube video is there at once, and gets the title of the video later', async () => {
  const { chat, ada, design, gate, contentOf } = await startWithPreviews()
  const open = gate.close()
  const thumbnail = (title: string) =>
    `<p>${link(YOUTUBE)}</p>\n<div class="youtube-video message_inline_image"><a data-id="hx1mjT73xYE" href="${YOUTUBE}"${title}>` +
    `<img src="${proxied(chat, 'https://i.ytimg.com/vi/hx1mjT73xYE/mqdefault.jpg')}"></a></div>`

  const id = await sendToChannel(ada, design, YOUTUBE)
  const atOnce = await contentOf(id)
  open()
  await settle(chat)

  assert.equal(atOnce, thumbnail(''))
  assert.equal(await contentOf(id), thumbnail(' title="A debate"'))
})

test('if the server fetches no pictures of other sites, previews have none', async () => {
  const { chat, ada, design, contentOf } = await startWithPreviews({ settings: { EXTERNAL_CONTENT: false } })

  const id = await sendToChannel(ada, design, `${COFFEE} ${VIMEO} ${YOUTUBE} https://example.com/cat.png`)
  await settle(chat)

  const html = await contentOf(id)
  assert.doesNotMatch(html, /<img|background|external_content/)
  assert.match(html, /title="Coffee"/)
  assert.match(html, /title="Pouring /)
})
