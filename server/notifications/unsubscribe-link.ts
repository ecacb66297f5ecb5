import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { readSealedContent, seal, verifySeal } from '#lib/secrets.ts'

// Links in notification emails with which the recipient turns these emails off without logging in. A link is valid
// for its user and kind of email only.

const account = z.tuple([z.int(), z.int()])

/**
 * Defines links that unsubscribe users from one type of email without logging in. Each link is a path with a sealed
 * key.
 */
function unsubscribeLink<Path extends string>(path: Path, purpose: string) {
  return {
    path,
    /** Returns the path of the page on which the user unsubscribes. */
    pathOf: (secret: KeyObject, { id, realmId }: { id: number; realmId: number }): string =>
      `${path}/${seal(secret, [purpose], [realmId, id])}`,
    /**
     * Returns the id of the user whom the key unsubscribes. Returns null if the server did not issue the key for this
     * organization.
     */
    readKey(secret: KeyObject, realmId: number, key: string): number | null {
      const parsed = account.safeParse(readSealedContent(key))
      if (!parsed.success || parsed.data[0] !== realmId || !verifySeal(secret, [purpose], parsed.data, key)) return null
      return parsed.data[1]
    },
  }
}

export const missedMailLink = unsubscribeLink('/accounts/end_mail', 'end mail about missed messages')
export const digestLink = unsubscribeLink('/accounts/end_digest', 'end digests')
