import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { openBrowser } from '../../../test/browser.ts'
import { sendFiles } from '../../../test/files.ts'
import { type Chat, startChat } from '../../../test/harness.ts'
import { noResizing, picture } from '../../../test/pictures.ts'

const BUILT_IN = '/static/organization-icon.png'

const get = (chat: Chat, path: string) => chat.request({ method: 'GET', path, headers: { host: 'parley.test' } })

test('an administrator uploads the icon, which everyone sees at once, also before logging in', {
  skip: noResizing,
}, async () => {
  const chat = await startChat()
  const ann = await chat.user('ann', { role: Role.administrator })
  const gus = await chat.user('gus', { role: Role.guest })

  const first = await sendFiles(chat, ann, '/realm/icon', { name: 'icon.png', bytes: await picture(300, 200) })
  const current = await get(chat, '/json/realm/icon')
  const second = await sendFiles(chat, ann, '/realm/icon', { name: 'icon.png', bytes: await picture(50, 50) })
  const state = await gus.succeed('POST /register', { fetch_event_types: ['realm'] })
  const settings = await gus.succeed('GET /server_settings')

  assert.match(first.icon_url, /^\/user_avatars\/\d+\/realm\/[0-9a-f]{40}\.png$/)
  assert.equal(current.status, 302)
  assert.equal(current.headers['location'], first.icon_url)
  assert.equal((await get(chat, first.icon_url)).status, 404)
  for (const path of [second.icon_url, second.icon_url.replace('.png', '-medium.png')])
    assert.equal((await get(chat, path)).headers['content-type'], 'image/png')
  assert.deepEqual([state.realm_icon_url, state.realm_icon_source], [second.icon_url, 'U'])
  assert.equal(settings.realm_icon, second.icon_url)
  assert.deepEqual((await chat.eventsOf(gus)).at(-1), {
    type: 'realm',
    op: 'update_dict',
    property: 'icon',
    data: { icon_url: second.icon_url, icon_source: 'U' },
  })
})

test('the login page and the manifest show the icon', { skip: noResizing }, async () => {
  const chat = await startChat()
  const ann = await chat.user('ann', { role: Role.administrator })
  const uploaded = await sendFiles(chat, ann, '/realm/icon', { name: 'icon.png', bytes: await picture(600, 600) })

  const login = await openBrowser(chat).open('/login/')
  const manifest = await get(chat, '/manifest.webmanifest')

  assert.equal(uploaded.result, 'success')
  assert.match(login.body, /<link rel="icon" href="\/json\/realm\/icon">/)
  assert.match(login.body, /<img src="\/json\/realm\/icon" alt=""/)
  assert.match(String(manifest.body), /"src":"\/user_avatars\/\d+\/realm\/[0-9a-f]{40}-medium\.png","sizes":"500x500"/)
})

test('logos for both themes are set and removed separately, and their files are deleted', {
  skip: noResizing,
}, async () => {
  const chat = await startChat()
  const ann = await chat.user('ann', { role: Role.administrator })
  const file = { name: 'logo.png', bytes: await picture(1600, 400) }
  await sendFiles(chat, ann, '/realm/logo?night=true', file)
  await sendFiles(chat, ann, '/realm/logo', file)
  const state = await ann.succeed('POST /register', { fetch_event_types: ['realm'] })

  await ann.succeed('DELETE /realm/logo', { night: true })
  const night = await get(chat, '/json/realm/logo?night=true')
  const day = await get(chat, '/json/realm/logo')

  assert.notEqual(state.realm_logo_url, state.realm_night_logo_url)
  assert.equal(day.headers['location'], state.realm_logo_url)
  assert.equal(night.headers['location'], BUILT_IN)
  assert.equal((await get(chat, state.realm_night_logo_url)).status, 404)
  assert.equal((await get(chat, state.realm_logo_url)).status, 200)
  assert.deepEqual((await chat.eventsOf(ann)).at(-1), {
    type: 'realm',
    op: 'update_dict',
    property: 'night_logo',
    data: { night_logo_url: BUILT_IN, night_logo_source: 'D' },
  })
})

test('members, other files and several files are refused, and nothing is stored', async () => {
  const chat = await startChat()
  const ann = await chat.user('ann', { role: Role.administrator })
  const ben = await chat.user('ben')
  const image = { name: 'icon.png', bytes: await picture(20, 20) }

  const refused = [
    await sendFiles(chat, ben, '/realm/icon', image),
    await ben.call('DELETE /realm/logo'),
    await ann.call('POST /realm/icon'),
    await ann.call('POST /realm/logo'),
    await sendFiles(chat, ann, '/realm/icon', { name: 'icon.png', bytes: Buffer.from('<svg></svg>') }),
    await sendFiles(chat, ann, '/realm/logo', { name: 'logo.png', bytes: image.bytes.subarray(0, 20) }),
    await sendFiles(chat, ann, '/realm/logo', { name: 'logo.png', bytes: Buffer.alloc(5 * 1024 * 1024 + 1) }),
  ].map(({ msg }) => msg)

  assert.deepEqual(refused, [
    'Must be an organization administrator',
    'Must be an organization administrator',
    'You must upload exactly one icon.',
    'You must upload exactly one logo.',
    'Could not decode image; did you upload an image file?',
    'Could not decode image; did you upload an image file?',
    'Uploaded file is larger than the allowed limit of 5 MiB',
  ])
  const { realm_icon_source, realm_logo_source } = await ann.succeed('POST /register')
  assert.deepEqual([realm_icon_source, realm_logo_source], ['G', 'D'])
})
