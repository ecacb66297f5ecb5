import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRealmBySubdomain } from '#realms/queries.ts'
import { openBrowser, signIn } from '../../test/browser.ts'
import { upload } from '../../test/files.ts'
import { personOf, startChat } from '../../test/harness.ts'
import { renameOrganization } from './create-organization.ts'

/** Starts a chat with the organization "harbor" and its user Olga. */
async function startHarbor() {
  const chat = await startChat()
  const harbor = await chat.organization('harbor')
  const olga = await chat.user('olga', { realm: harbor })
  const rename = (subdomain: string) => chat.app.services.transaction((tx) => renameOrganization(tx, harbor, subdomain))
  const redirectOf = async (host: string, path: string, method = 'GET') => {
    const { status, headers } = await chat.request({ method, path, headers: { host, accept: 'text/html' } })
    return status === 302 ? headers['location'] : status
  }
  return { chat, harbor, olga, rename, redirectOf }
}

test('after an organization was renamed, its old address redirects to the same path at the new one', async () => {
  const { chat, olga, rename, redirectOf } = await startHarbor()
  const before = await signIn(chat, olga, { host: 'harbor.parley.test' })
  await rename('port')
  await rename('dock')

  assert.equal(await redirectOf('harbor.parley.test', '/channels/5?x=1'), 'http://dock.parley.test/channels/5?x=1')
  assert.equal(await redirectOf('port.parley.test', '/login/'), 'http://dock.parley.test/login/')
  assert.equal(await redirectOf('port.parley.test', '/login/', 'POST'), 'http://dock.parley.test/')
  assert.equal((await before.call('GET /users/me')).status, 401)
  const after = await signIn(chat, olga, { host: 'dock.parley.test' })
  assert.equal((await after.call('GET /users/me'))['user_id'], olga.id)
})

test('an organization can take its old address again, and others can take it afterwards', async () => {
  const { chat, harbor, rename, redirectOf } = await startHarbor()
  await rename('port')
  await rename('harbor')

  assert.equal(await redirectOf('port.parley.test', '/login/'), 'http://harbor.parley.test/login/')
  await rename('port')
  const other = await chat.organization('harbor')

  assert.equal((await findRealmBySubdomain(chat.app.services.db, 'port'))?.id, harbor.id)
  assert.equal((await findRealmBySubdomain(chat.app.services.db, 'harbor'))?.id, other.id)
  assert.equal((await openBrowser(chat, { host: 'harbor.parley.test' }).open('/login/')).status, 200)
})

test('links with a former address still lead to files and messages of the organization, until another one takes it', async () => {
  const { chat, olga, rename } = await startHarbor()
  const url = await upload(chat, olga)
  const content = `http://harbor.parley.test${url} and http://harbor.parley.test/#narrow/channel/3`
  const params = { type: 'direct', to: [olga.id], content }
  const { id } = await olga.succeed('POST /messages', params)
  const there = personOf(
    chat,
    { ...olga.realm, subdomain: 'dock' },
    { id: olga.id, deliveryEmail: olga.email },
    olga.apiKey,
  )
  const links = async (messageId: number) => {
    const { message } = await there.succeed(`GET /messages/${messageId}`, { apply_markdown: true })
    return [...message.content.matchAll(/href="([^"]*)"/g)].map((match) => match[1])
  }

  await rename('port')
  await rename('dock')
  await there.succeed(`PATCH /messages/${id}`, { content: `${content} (edited)` })

  assert.deepEqual(await links(id), [url.slice(1), '#narrow/channel/3'])
  const { attachments } = await there.succeed('GET /attachments')
  assert.deepEqual(
    attachments[0].messages.map((message: { id: number }) => message.id),
    [id],
  )
  await chat.organization('harbor')
  const later = await there.succeed('POST /messages', params)
  assert.deepEqual(await links(later['id']), content.split(' and '))
})

test('an organization cannot take an address that is invalid or in use', async () => {
  const { harbor, chat, rename, redirectOf } = await startHarbor()

  for (const subdomain of ['', 'harbor', 'Port', 'a.b', '-port', 'www', 'x'.repeat(41)])
    await assert.rejects(rename(subdomain), /subdomain|root organization/)

  assert.equal((await findRealmBySubdomain(chat.app.services.db, 'harbor'))?.id, harbor.id)
  assert.equal(await redirectOf('port.parley.test', '/login/'), 404)
})
