import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { readSealedContent, seal, verifySeal } from '../../platform/security/seal.ts'

const PURPOSE = ['end digests']

/** Returns the path of the page on which the user unsubscribes from digests without logging in. */
export const digestUnsubscribePath = (secret: KeyObject, { id, realmId }: { id: number; realmId: number }): string =>
  `/accounts/end_digest/${seal(secret, PURPOSE, [realmId, id])}`

const account = z.tuple([z.int(), z.int()])

/** Returns the id of the user whom the key unsubscribes; null if the server did not issue it for this organization. */
export function readDigestUnsubscribeKey(secret: KeyObject, realmId: number, key: string): number | null {
  const parsed = account.safeParse(readSealedContent(key))
  if (!parsed.success || parsed.data[0] !== realmId || !verifySeal(secret, PURPOSE, parsed.data, key)) return null
  return parsed.data[1]
}
