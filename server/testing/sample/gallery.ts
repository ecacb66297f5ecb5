import type { App } from '#app.ts'
import { findChannelByName } from '#channels/queries.ts'
import type { HttpRequest, HttpResponse } from '#http/http-types.ts'
import { refusal } from '#lib/errors.ts'
import { issueApiKey } from '#people/api-keys.ts'
import { findUserByDeliveryEmail } from '#people/user-queries.ts'
import { findAddressedRealm, saveRealmSettings } from '#realms/queries.ts'
import { galleryFiles, galleryTopics } from './gallery-content.ts'

/** An account that fills the gallery through the API of a listening server. */
type GalleryAccount = { url: string; email: string; apiKey: string }

type CallFields = Readonly<Record<string, unknown>>

export async function callApi<Answer>(
  account: GalleryAccount,
  route: string,
  fields: CallFields = {},
): Promise<Answer> {
  const [method = '', path = ''] = route.split(' ')
  const form = new URLSearchParams(
    Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
  return send(account, path, method === 'GET' ? `?${form}` : '', { method, ...(method !== 'GET' && { body: form }) })
}

/** Uploads a file and returns its address. */
async function uploadGalleryFile(account: GalleryAccount, name: string, bytes: Buffer): Promise<string> {
  const body = new FormData()
  body.append('file', new Blob([new Uint8Array(bytes)]), name)
  return (await send<{ url: string }>(account, '/user_uploads', '', { method: 'POST', body })).url
}

async function send<Answer>(account: GalleryAccount, path: string, query: string, init: RequestInit): Promise<Answer> {
  const authorization = `Basic ${Buffer.from(`${account.email}:${account.apiKey}`).toString('base64')}`
  const answer = await fetch(`${account.url}/api/v1${path}${query}`, { ...init, headers: { authorization } })
  const json = (await answer.json()) as Answer & { msg: string }
  if (!answer.ok) throw new Error(`${path}: ${json.msg}`)
  return json
}

const GALLERY_CHANNEL = 'gallery'
const GROUP = 'gallery-crew'

type Profile = { user_id: number; full_name: string }

/**
 * Creates a channel with a topic for each kind of content, through the API as any client would, and returns its id. The
 * messages come from `author`; `other` takes part in the polls and is mentioned.
 */
export async function fillGallery(author: GalleryAccount, other: GalleryAccount): Promise<number> {
  const [me, them] = [await callApi<Profile>(author, 'GET /users/me'), await callApi<Profile>(other, 'GET /users/me')]
  await callApi(author, 'POST /users/me/subscriptions', {
    subscriptions: [{ name: GALLERY_CHANNEL, description: 'Every kind of content' }],
    principals: [me.user_id, them.user_id],
  })
  const members = [me.user_id, them.user_id]
  await callApi(author, 'POST /user_groups/create', { name: GROUP, description: 'Two people', members })
  const named = new Map(Object.entries({ me: me.full_name, other: them.full_name }))
  for (const [key, { name, make }] of Object.entries(galleryFiles))
    named.set(key, await uploadGalleryFile(author, name, make()))

  for (const { topic, messages } of galleryTopics)
    for (const text of messages) {
      const content = text.replace(/\{(\w+)\}/g, (all, key: string) => named.get(key) ?? all)
      const { id } = await callApi<{ id: number }>(author, 'POST /messages', {
        type: 'channel',
        to: [GALLERY_CHANNEL],
        topic,
        content,
      })
      if (content.startsWith('/poll Where')) await vote(id, author, other)
      if (content.startsWith('/todo')) await change(other, id, { type: 'strike', key: '1,canned' })
    }
  return (await callApi<{ stream_id: number }>(author, 'GET /get_stream_id', { stream: GALLERY_CHANNEL })).stream_id
}

async function vote(id: number, author: GalleryAccount, other: GalleryAccount): Promise<void> {
  await change(author, id, { type: 'vote', key: 'canned,0', vote: 1 })
  await change(other, id, { type: 'vote', key: 'canned,0', vote: 1 })
  await change(other, id, { type: 'vote', key: 'canned,2', vote: 1 })
  await change(other, id, { type: 'new_option', idx: 1, option: 'Skip lunch' })
}

const change = (account: GalleryAccount, id: number, data: object) =>
  callApi(account, 'POST /submessage', { message_id: id, msg_type: 'widget', content: JSON.stringify(data) })

export const GALLERY_PATH = '/dev/gallery'

const noGallery = refusal('NOT_FOUND', 404, 'The gallery is filled in the root organization of a test server.')

/** Redirects to the channel with every kind of content. The first visit creates and fills it. */
export async function galleryPage(app: App, request: HttpRequest): Promise<HttpResponse> {
  const { services } = app
  const realm = await findAddressedRealm(services.db, request)
  if (realm === null || realm.subdomain !== '') throw noGallery()
  const known = await findChannelByName(services.db, realm.id, GALLERY_CHANNEL)
  const accountOf = (name: string) => accountWithEmail(app, realm.id, `${name}@example.com`)
  const fill = async () => {
    await services.transaction((tx) => saveRealmSettings(tx, realm.id, { inline_url_embed_preview: true }))
    const id = await fillGallery(await accountOf('alice'), await accountOf('bob'))
    await app.jobs.linkPreviews.settled()
    return id
  }
  const channelId = known?.id ?? (await fill())
  return { status: 302, headers: { location: `/channels/${channelId}` }, body: '' }
}

async function accountWithEmail({ services }: App, realmId: number, email: string): Promise<GalleryAccount> {
  const { db, transaction, settings } = services
  const user = await findUserByDeliveryEmail(db, realmId, email)
  if (user === null) throw noGallery()
  const apiKey = await transaction((tx) => issueApiKey(tx, user.id, 'gallery'))
  return { url: settings.EXTERNAL_URL, email, apiKey }
}
