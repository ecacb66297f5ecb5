import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { readSealedContent, seal, verifySeal } from '../../platform/security/seal.ts'

const circumstances = ['end mail about missed messages']

/** The path at the organization at which somebody ends these mails without signing in. */
export function unsubscribePath(secret: KeyObject, { id, realmId }: { id: number; realmId: number }): string {
  return `/accounts/end_mail/${seal(secret, circumstances, [realmId, id])}`
}

const account = z.tuple([z.int(), z.int()])

/** Whose mails the key ends; null when it is none that this installation sent from the organization. */
export function readUnsubscribeKey(secret: KeyObject, realmId: number, key: string): number | null {
  const parsed = account.safeParse(readSealedContent(key))
  if (!parsed.success || parsed.data[0] !== realmId || !verifySeal(secret, circumstances, parsed.data, key)) return null
  return parsed.data[1]
}
