import type { App } from '#app.ts'
import { findChannelByName } from '#channels/queries.ts'
import { findAddressedRealm } from '#http/auth/caller.ts'
import type { HttpRequest, HttpResponse } from '#http/wire/http-types.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { issueApiKey } from '#people/users/api-keys.ts'
import { findUserByDeliveryEmail } from '#people/users/queries.ts'
import { saveRealmSettings } from '#realms/queries.ts'
import { fillGallery, GALLERY_CHANNEL } from './fill-gallery.ts'
import type { GalleryAccount } from './gallery-client.ts'

export const GALLERY_PATH = '/dev/gallery'

const noGallery = refusal('NOT_FOUND', 404, 'The gallery is filled in the root organization of a test server.')

/** Redirects to the channel with every kind of content. The first visit creates and fills it. */
export async function galleryPage(app: App, request: HttpRequest): Promise<HttpResponse> {
  const { services } = app
  const realm = await findAddressedRealm(services, request)
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
