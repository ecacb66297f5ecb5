import { requireAdministrator } from '#people/users/access.ts'
import type { Actor } from '#people/users/user.ts'
import { lockRealm, saveRealmPictures } from '#realms/queries.ts'
import { type Realm, type RealmPictureKind, realmPictureSource, realmPictureUrl } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { emitOrganizationEvents } from './events.ts'

/**
 * Sets a picture of the organization, or the built-in one if `name` is null. Returns the organization before and after
 * the change.
 */
export async function changeRealmPicture(
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
  const after = { ...before, pictures }
  const data = { [`${kind}_url`]: realmPictureUrl(after, kind), [`${kind}_source`]: realmPictureSource(after, kind) }
  await emitOrganizationEvents(tx, before.id, [{ type: 'realm', op: 'update_dict', property: kind, data }])
  return { before, after }
}
