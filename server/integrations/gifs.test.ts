import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { collectLog } from '../../test/collected-log.ts'
import { fetchPage } from '../../test/files.ts'
import { type StartOptions, startChat } from '../../test/harness.ts'
import { fetchMessage, sendToChannel } from '../../test/messages.ts'
import { movingPicture } from '../../test/pictures.ts'
import { allowsLoopback, startWebhookReceiver, status } from '../../test/webhook-receiver.ts'

const giphyImage = (name: string) => ({
  url: `https://media1.giphy.com/media/x/${name}.gif?cid=1_2`,
  width: '200',
  height: '113',
})

const giphyGif = (title: string, images: object = {}) => ({
  id: 'x1',
  title,
  images: {
    fixed_width: giphyImage('200w'),
    fixed_width_downsampled: giphyImage('200w_d'),
    fixed_width_still: giphyImage('200w_s'),
    downsized_medium: giphyImage('giphy-downsized-medium'),
    original: giphyImage('giphy'),
    ...images,
  },
})

const giphyPage = (...data: unknown[]) => ({ data, pagination: { total_count: 100, count: data.length, offset: 0 } })

const tenorPage = {
  results: [
    {
      id: '17',
      content_description: 'Cat waves',
      media_formats: {
        gif: { url: 'https://media.tenor.com/x/cat.gif', dims: [498, 280] },
        tinygif: { url: 'https://media.tenor.com/y/cat.gif', dims: [220, 124] },
        tinygifpreview: { url: 'https://media.tenor.com/z/cat.png', dims: [220, 124] },
      },
    },
  ],
  next: 'CAgQpIGj',
}

/** Starts a stand-in for the provider, and an organization that may search. */
async function startWithGifs(settings: object = { GIPHY_API_KEY: 'the-key' }, options: StartOptions = {}) {
  const server = await startWebhookReceiver()
  server.behave(giphyPage(giphyGif('Happy Dance GIF')))
  const origin = `http://127.0.0.1:${server.port}`
  const chat = await startChat({
    ...options,
    settings: { ...allowsLoopback, ...settings },
    serviceOrigins: { giphy: origin, tenor: origin },
    fetchMedia: async (url) => (url.includes('giphy.com') ? movingPicture : null),
  })
  const ada = await chat.user('ada', { role: Role.administrator })
  const asked = () =>
    server.received.map(({ path }) => {
      const { pathname, searchParams } = new URL(path, origin)
      return { pathname, ...Object.fromEntries(searchParams) }
    })
  return { chat, server, ada, asked }
}

test('GIFs are searched by the server, up to the rating of the organization, and their pictures come from the server', async () => {
  const { chat, ada, asked } = await startWithGifs()

  const found = await ada.succeed('GET /gifs/search', { query: ' Happy  dance ' })
  const again = await ada.succeed('GET /gifs/search', { query: 'happy dance' })
  await ada.succeed('PATCH /realm', { giphy_rating: 4 })
  await ada.succeed('GET /gifs/search', { query: 'happy dance', next: '18' })
  await ada.succeed('GET /gifs/search')
  const [gif] = found['gifs']

  assert.deepEqual(again['gifs'], found['gifs'])
  const all = { api_key: 'the-key', limit: '18', bundle: 'messaging_non_clips' }
  assert.deepEqual(asked(), [
    { pathname: '/v1/gifs/search', ...all, q: 'happy dance', offset: '0', rating: 'g' },
    { pathname: '/v1/gifs/search', ...all, q: 'happy dance', offset: '18', rating: 'pg-13' },
    { pathname: '/v1/gifs/trending', ...all, offset: '0', rating: 'pg-13' },
  ])
  const { preview_url, still_url, ...rest } = gif
  assert.deepEqual(rest, {
    id: 'x1',
    title: 'Happy Dance GIF',
    url: 'https://media1.giphy.com/media/x/giphy-downsized-medium.gif?cid=1_2',
    width: 200,
    height: 113,
  })
  assert.deepEqual([found['provider'], found['next']], ['giphy', '1'])
  for (const path of [preview_url, still_url]) assert.deepEqual((await fetchPage(chat, path, ada)).bytes, movingPicture)
})

test('a GIF that is sent as a link is shown in the message', async () => {
  const { chat, ada } = await startWithGifs()
  const design = await chat.channel('design', [ada])
  const [{ title, url }] = (await ada.succeed('GET /gifs/search'))['gifs']

  const { content } = await fetchMessage(ada, await sendToChannel(ada, design, `[${title}](${url})`))
  const [, src = ''] = /<img src="([^"]*)"/.exec(content) ?? []

  assert.match(content, /^<p><a href="https:\/\/media1\.giphy\.com[^"]*">Happy Dance GIF<\/a><\/p>/)
  assert.deepEqual((await fetchPage(chat, src, ada)).bytes, movingPicture)
})

test('Tenor is asked if there is only a key for it', async () => {
  const { server, ada, asked } = await startWithGifs({ TENOR_API_KEY: 'the-key' })
  server.behave(tenorPage)

  const found = await ada.succeed('GET /gifs/search', { query: 'cat', next: 'CAgQ' })
  await ada.succeed('GET /gifs/search')

  const all = { key: 'the-key', client_key: 'parley', limit: '18', contentfilter: 'high' }
  const media_filter = 'gif,tinygif,tinygifpreview'
  assert.deepEqual(asked(), [
    { pathname: '/v2/search', ...all, q: 'cat', pos: 'CAgQ', media_filter },
    { pathname: '/v2/featured', ...all, media_filter },
  ])
  const { preview_url: _, still_url: __, ...gif } = found['gifs'][0]
  assert.deepEqual(gif, {
    id: '17',
    title: 'Cat waves',
    url: 'https://media.tenor.com/x/cat.gif',
    width: 220,
    height: 124,
  })
  assert.deepEqual([found['provider'], found['next']], ['tenor', 'CAgQpIGj'])
})

test('no message gets a mention, a link or a foreign address from what a provider returns', async () => {
  const { server, ada } = await startWithGifs()
  const titles = [
    '@**all** :tada: [x](https://a.example) `$$`',
    '](https://a.example)',
    '\u202Eevil\n# x',
    'a'.repeat(500),
    17,
  ]
  const urls = [
    ...['javascript:alert(1)', 'http://media1.giphy.com/x.gif', 'https://giphy.com.evil.example/x.gif'],
    ...[
      'https://evilgiphy.com/x.gif',
      'https://a@media.giphy.com/x.gif',
      'https://media.giphy.com:8443/x.gif',
      17,
      null,
    ],
    ...[`https://media.giphy.com/${'x'.repeat(2000)}.gif`, 'data:image/gif;base64,R0lGOD'],
  ]
  server.behave(
    giphyPage(
      ...titles.map((title) => giphyGif(title as string)),
      ...['fixed_width', 'fixed_width_downsampled'].flatMap((name) => [giphyGif('x', { [name]: 17 })]),
      giphyGif('parentheses', {
        downsized_medium: { ...giphyImage('x'), url: 'https://media.giphy.com/a)(b.gif', width: 'NaN' },
      }),
      null,
      17,
      { id: 'x' },
    ),
  )
  const { gifs } = await ada.succeed('GET /gifs/search')
  const found: string[] = gifs.map(({ title, url }: { title: string; url: string }) => `[${title}](${url})`)
  server.behave({ data: urls.map((url) => giphyGif('x', { fixed_width: { ...giphyImage('x'), url } })) })
  const none = await ada.succeed('GET /gifs/search', { query: 'urls' })

  assert.deepEqual(
    gifs.map(({ title }: { title: string }) => title),
    ['all tada x https a.example', 'https a.example', 'evil x', 'a'.repeat(100), 'GIF', 'x', 'parentheses'],
  )
  assert.equal(found.at(-1), '[parentheses](https://media.giphy.com/a%29%28b.gif)')
  assert.deepEqual(none['gifs'], [])
})

test('a provider that refuses, breaks off, floods or sends something else leads to an error, which is not kept', async () => {
  const { log, entries } = collectLog()
  const { server, ada } = await startWithGifs(undefined, { log })
  const answers = [
    status(403, '{}'),
    status(429, '{}'),
    status(302, '', { location: 'https://example.com/' }),
    status(200, 'not JSON'),
    status(200, '[]'),
    status(200, '{"data": {}}'),
    status(200, `{"data": [], "x": "${'x'.repeat(2 * 1024 * 1024)}"}`),
    (response: { destroy(): void }) => response.destroy(),
  ]

  for (const behavior of answers) {
    server.behave(behavior)
    const answer = await ada.call('GET /gifs/search', { query: 'cat' })
    assert.equal(answer.status, 400)
    assert.match(answer.msg, /^The search for GIFs does not respond\. Try again/)
  }
  server.behave(giphyPage(giphyGif('Cat')))
  assert.equal((await ada.succeed('GET /gifs/search', { query: 'cat' }))['gifs'].length, 1)
  assert.deepEqual(
    entries.filter((one) => one['service'] === 'gifs').map((one) => one['status']),
    [403, 429, 302, null, null],
  )
})

test('GIFs can be turned off in an organization, and are off without a key or without pictures of other sites', async () => {
  const { chat, server, ada } = await startWithGifs()
  const optionsOf = async () => Object.keys((await ada.succeed('POST /register')).giphy_rating_options)
  const search = async () => (await ada.call('GET /gifs/search')).msg

  const offered = await optionsOf()
  await ada.succeed('PATCH /realm', { giphy_rating: 0 })
  const off = await search()
  const unknown = await ada.call('PATCH /realm', { giphy_rating: 6 })
  await ada.succeed('PATCH /realm', { giphy_rating: 5 })
  chat.settings.EXTERNAL_CONTENT = false
  const withoutPictures = [await search(), ...(await optionsOf())]
  Object.assign(chat.settings, { EXTERNAL_CONTENT: true, GIPHY_API_KEY: '' })
  const withoutKey = [await search(), ...(await optionsOf())]

  const text = 'GIFs are turned off in this organization.'
  assert.deepEqual(offered, ['disabled', 'y', 'g', 'pg', 'pg-13', 'r'])
  assert.equal((await ada.succeed('POST /register')).giphy_api_key, '')
  assert.deepEqual([off, withoutPictures, withoutKey], [text, [text, 'disabled'], [text, 'disabled']])
  assert.equal(unknown.status, 400)
  assert.equal(server.received.length, 0)
})

test('a user makes at most 30 new searches a minute; what is known costs none', async () => {
  const { chat, ada } = await startWithGifs({ GIPHY_API_KEY: 'x', RATE_LIMITING: true })
  const statusOf = async (query: string) => (await ada.call('GET /gifs/search', { query })).status

  for (let count = 0; count < 30; count++) assert.equal(await statusOf(`cat ${count}`), 200)

  assert.deepEqual([await statusOf('dog'), await statusOf('cat 1')], [429, 200])
  await chat.clock.advance(61)
  assert.equal(await statusOf('dog'), 200)
})
