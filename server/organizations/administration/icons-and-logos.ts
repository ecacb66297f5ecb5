import { z } from 'zod'
import { MAX_PICTURE_BYTES, notAnImage, pictureTooLarge } from '#accounts/avatars.ts'
import { type Call, endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { imageTypeOf } from '#lib/images.ts'
import { mustBeAdministrator, requireAdministrator } from '#people/access.ts'
import { recordAudit } from '#people/audit.ts'
import { type Actor, requesterOf } from '#people/users.ts'
import { lockRealm, saveRealmPictures } from '#realms/queries.ts'
import {
  largeIconPath,
  type Realm,
  type RealmPictureKind,
  realmPictureFiles,
  realmPicturePath,
  realmPictureSource,
  realmPictureUrl,
} from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { toRealmPicture } from '../pictures.ts'
import { emitOrganizationEvents } from './save-organization-changes.ts'

/**
 * Sets a picture of the organization, or the built-in one if `name` is null. Returns the organization before and after
 * the change.
 */
async function changeRealmPicture(
  tx: Transaction,
  actor: Actor,
  kind: RealmPictureKind,
  name: string | null,
): Promise<{ before: Realm; after: Realm }> {
  requireAdministrator(actor)
  const before = await lockRealm(tx, actor.realmId)
  if ((before.pictures[kind] ?? null) === name) return { before, after: before }
  const { [kind]: _, ...others } = before.pictures
  const pictures = name === null ? others : { ...others, [kind]: name }
  await saveRealmPictures(tx, before.id, pictures)
  const { [kind]: from = null } = before.pictures
  await recordAudit(tx, before.id, 'organization_changed', { setting: kind, from, to: name })
  const after = { ...before, pictures }
  const data = { [`${kind}_url`]: realmPictureUrl(after, kind), [`${kind}_source`]: realmPictureSource(after, kind) }
  await emitOrganizationEvents(tx, before.id, [{ type: 'realm', op: 'update_dict', property: kind, data }])
  return { before, after }
}

const exactlyOneIcon = refusal('BAD_REQUEST', 400, 'You must upload exactly one icon.', { field: 'file' })
const exactlyOneLogo = refusal('BAD_REQUEST', 400, 'You must upload exactly one logo.', { field: 'file' })

const night = { night: z.boolean().default(false).describe('The logo for the dark theme.') }

const logoKind = (isNight: boolean): RealmPictureKind => (isNight ? 'night_logo' : 'logo')

export const uploadIcon = endpoint({
  route: 'POST /realm/icon',
  summary: 'Upload the icon of the organization',
  description: 'Requires an administrator. A PNG, JPEG, GIF or WebP image, which is cropped to a square.',
  who: 'human',
  maxUploadBytes: MAX_PICTURE_BYTES,
  returns: { icon_url: z.string() },
  refuses: [mustBeAdministrator, exactlyOneIcon, pictureTooLarge, notAnImage],
  async handle(call) {
    return { icon_url: realmPictureUrl(await upload(call, 'icon', exactlyOneIcon), 'icon') }
  },
})

export const removeIcon = endpoint({
  route: 'DELETE /realm/icon',
  summary: 'Remove the icon of the organization',
  description: 'Requires an administrator. The built-in icon is shown instead.',
  who: 'human',
  returns: { icon_url: z.string() },
  refuses: [mustBeAdministrator],
  async handle(call) {
    return { icon_url: realmPictureUrl(await replace(call, 'icon', null), 'icon') }
  },
})

export const uploadLogo = endpoint({
  route: 'POST /realm/logo',
  summary: 'Upload a logo of the organization',
  description: 'Requires an administrator. A PNG, JPEG, GIF or WebP image, which is scaled down to 800 × 100 pixels.',
  who: 'human',
  params: night,
  maxUploadBytes: MAX_PICTURE_BYTES,
  refuses: [mustBeAdministrator, exactlyOneLogo, pictureTooLarge, notAnImage],
  async handle(call, { night }) {
    await upload(call, logoKind(night), exactlyOneLogo)
    return {}
  },
})

export const removeLogo = endpoint({
  route: 'DELETE /realm/logo',
  summary: 'Remove a logo of the organization',
  description: 'Requires an administrator.',
  who: 'human',
  params: night,
  refuses: [mustBeAdministrator],
  async handle(call, { night }) {
    await replace(call, logoKind(night), null)
    return {}
  },
})

async function upload(call: Call, kind: RealmPictureKind, exactlyOne: typeof exactlyOneIcon): Promise<Realm> {
  const { actor, uploads, files, random } = call
  requireAdministrator(actor)
  const [given, another] = uploads
  if (given === undefined || another !== undefined) throw exactlyOne()
  if (given.bytes.length > MAX_PICTURE_BYTES) throw pictureTooLarge()
  const { picture, large } = await requirePicture(call, kind, given.bytes)

  const name = `${random.bytes(20).toString('hex')}.png`
  await using cleanup = new AsyncDisposableStack()
  const save = async (path: string, bytes: Buffer) => {
    cleanup.defer(() => files.delete(path))
    await files.save(path, bytes)
  }
  await save(realmPicturePath(actor.realmId, name), picture)
  if (large !== null) await save(largeIconPath(actor.realmId, name), large)
  // A commit that seems to have failed may have succeeded, so the files are kept from here on. Unreferenced files are
  // deleted later.
  return await replace(call, kind, name, () => {
    if (!cleanup.disposed) cleanup.move()
  })
}

async function requirePicture(
  { settings, actor }: Call,
  kind: RealmPictureKind,
  bytes: Buffer,
): Promise<{ picture: Buffer; large: Buffer | null }> {
  if (imageTypeOf(bytes) === null) throw notAnImage()
  const resized = await toRealmPicture(settings, kind, bytes, requesterOf(actor, settings.RATE_LIMITING))
  if (resized === null) throw notAnImage()
  return resized
}

/**
 * Replaces the picture and returns the changed organization. The files of the previous picture are deleted if nothing
 * refers to them.
 */
async function replace(
  call: Call,
  kind: RealmPictureKind,
  name: string | null,
  onWritten: () => void = () => {},
): Promise<Realm> {
  const { actor, files, transaction } = call
  const { before, after } = await transaction(async (tx) => {
    const changed = await changeRealmPicture(tx, actor, kind, name)
    onWritten()
    return changed
  })
  const filesInUse = new Set(realmPictureFiles(after))
  for (const path of realmPictureFiles(before)) if (!filesInUse.has(path)) await files.delete(path)
  return after
}
