import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { credentials, fetchPage, upload } from '../../test/files.ts'
import { startChat } from '../../test/harness.ts'
import { responsesIn } from '../../test/http/raw-client.ts'
import { assetUrl } from './page-html.ts'
import { CONTENT_POLICIES, webClientPolicy } from './security-headers.ts'

/** One request for each kind of response. `{file}` stands for an uploaded file. */
const requests = [
  { route: 'GET /api/v1/users/me', status: 200 },
  { route: 'POST /api/v1/messages', status: 400 },
  { route: 'GET /api/v1/server_settings', status: 200, isAnonymous: true },
  { route: 'GET /api/v1/users/me', status: 401, isAnonymous: true },
  { route: 'GET /api/v1/nowhere', status: 404 },
  { route: 'PATCH /api/v1/users/me', status: 405 },
  { route: 'OPTIONS /api/v1/users/me', status: 204 },
  { route: 'HEAD /api/v1/users/me', status: 200 },
  { route: 'GET /json/users/me', status: 401, isAnonymous: true },
  { route: 'GET /api', status: 200 },
  { route: 'GET /api/v1/openapi.json', status: 200 },
  { route: 'GET /health', status: 200, isAnonymous: true },
  { route: 'GET /', status: 302, isAnonymous: true },
  { route: 'GET /login/', status: 200, isAnonymous: true },
  { route: 'POST /login/', status: 400, isAnonymous: true },
  { route: 'GET /nowhere/at/all', status: 404, isAnonymous: true },
  { route: 'GET /join/unknown/', status: 404, isAnonymous: true },
  { route: 'GET /avatar/me@example.com', status: 302 },
  { route: 'GET /static/emoji/names.json', status: 200, isAnonymous: true },
  { route: `GET ${assetUrl('pages.css')}`, status: 200, isAnonymous: true },
  { route: 'GET {file}', status: 200 },
  { route: 'GET {file}', status: 401, isAnonymous: true },
  { route: 'GET /user_uploads/1/no/such.txt', status: 404 },
] as const

test('every kind of response forbids framing, content type sniffing, and everything that its policy does not list', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const file = await upload(chat, ada)

  for (const { route, status, ...request } of requests) {
    const [method = '', path = ''] = route.replace('{file}', file).split(' ')
    const isAnonymous = 'isAnonymous' in request
    const own = isAnonymous ? { host: 'parley.test' } : credentials(ada)
    const { status: given, headers } = await chat.request({ method, path, headers: own })

    const what = `${route}${isAnonymous ? ', without credentials' : ''}`
    assert.equal(given, status, what)
    assert.equal(headers['x-content-type-options'], 'nosniff', what)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /^default-src 'none';.* base-uri 'none';.* frame-ancestors '(none|self)'/, what)
    assert.equal(headers['strict-transport-security'], undefined, what)
  }
})

test('if the server is reached by https, every response tells browsers to use only https', async () => {
  const chat = await startChat({ settings: { EXTERNAL_URL: 'https://parley.test' } })
  const ada = await chat.user('ada')

  for (const path of ['/api/v1/users/me', '/api/v1/nowhere', '/health', '/login/', '/nowhere'])
    assert.equal((await fetchPage(chat, path, ada)).headers['strict-transport-security'], 'max-age=31536000', path)
})

test('browsers use https for the subdomains of the host as well if the operator says so', async () => {
  const settings = { EXTERNAL_URL: 'https://parley.test', HSTS_SUBDOMAINS: true }
  const { headers } = await fetchPage(await startChat({ settings }), '/health', null)

  assert.equal(headers['strict-transport-security'], 'max-age=31536000; includeSubDomains')
})

test('responses on a connection, refusals of malformed requests, and crashes have the same headers', async () => {
  const chat = await startChat({ settings: { EXTERNAL_URL: 'https://parley.test' } })
  const { port } = await chat.app.http.listen({ host: '127.0.0.1', port: 0 })
  const get = 'GET /api/v1/server_settings HTTP/1.1\r\nHost: parley.test\r\n\r\n'
  const ask = async (...texts: readonly string[]) => {
    const socket = connect({ port, host: '127.0.0.1' }).setEncoding('latin1')
    for (const text of texts) socket.write(text)
    let received = ''
    for await (const chunk of socket) {
      received += chunk
      if (received.split('HTTP/1.1 ').length > texts.length && received.endsWith('}\n')) break
    }
    return responsesIn(received)
  }

  const responses = [
    ...(await ask(get)),
    // The fast path leaves a request without this space to node:http.
    ...(await ask(get.replace('Host: ', 'Host:'))),
    ...(await ask('what is this?\r\n\r\n')),
    ...(await ask('GET / HTTP/1.1\r\n\r\n')),
    ...(await ask('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n')),
  ]

  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200, 400, 400, 400],
  )
  for (const { head } of responses) {
    assert.match(head, /^x-content-type-options: nosniff$/im)
    assert.match(head, /^content-security-policy: default-src 'none'; .*frame-ancestors 'none'$/im)
    assert.match(head, /^strict-transport-security: max-age=31536000$/im)
    assert.equal(head.match(/^x-content-type-options:/gim)?.length, 1)
  }
})

test('the web client and the pages load nothing from other servers', () => {
  const sources = [CONTENT_POLICIES.webClient, CONTENT_POLICIES.page].flatMap((policy) =>
    policy
      .split('; ')
      .filter((directive) => /-src /.test(directive))
      .flatMap((directive) => directive.split(' ').slice(1)),
  )

  assert.deepEqual([...new Set(sources)].toSorted(), ["'none'", "'self'", 'blob:', 'data:'])
})

test('the web client shows files of a store that browsers load themselves, and nothing else from it', () => {
  const policy = webClientPolicy('https://files.example.com')

  const directives = policy.split('; ').filter((directive) => directive.endsWith(' https://files.example.com'))
  assert.deepEqual(directives.map((directive) => directive.split(' ')[0]).sort(), ['frame-src', 'img-src', 'media-src'])
  assert.equal(webClientPolicy(null), CONTENT_POLICIES.webClient)
})
