import { REALM_PICTURES } from '#storage/files/folders.ts'
import type { Realm } from './realm.ts'

/** Returns the path of a picture in the file store. */
export const realmPicturePath = (realmId: number, name: string) => `${REALM_PICTURES}/${realmId}/${name}`

/** Returns the path of the larger version of an icon, which exists only if images are resized. */
export const largeIconPath = (realmId: number, name: string) =>
  realmPicturePath(realmId, name.replace(/\.png$/, '-medium.png'))

/** Returns the paths of all stored pictures of an organization. */
export const realmPictureFiles = ({ id, pictures }: Pick<Realm, 'id' | 'pictures'>): string[] =>
  Object.values(pictures).flatMap((name) => [realmPicturePath(id, name), largeIconPath(id, name)])
