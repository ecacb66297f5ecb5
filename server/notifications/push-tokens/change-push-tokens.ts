import { refusal } from '#lib/errors/refusal.ts'
import type { Actor } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'
import { deletePushToken, type PushService, savePushToken } from './queries.ts'

export const badTokenLength = refusal('BAD_REQUEST', 400, 'Empty or invalid length token', { field: 'token' })
export const badAppleToken = refusal('BAD_REQUEST', 400, 'Invalid APNS token', { field: 'token' })
export const noSuchToken = refusal('BAD_REQUEST', 400, 'Token does not exist')
export const badAppId = refusal('BAD_REQUEST', 400, 'Invalid app ID', { field: 'appid' })

const MAX_TOKEN_LENGTH = 4096

const APP_ID = /^[.a-zA-Z0-9-]{1,255}$/

/** Matches Base64, which includes hexadecimal digits. Other characters in a token are ignored. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Saves the token of one of the actor's devices. If it already exists, only its app id is updated. */
export async function addPushToken(
  tx: Transaction,
  actor: Actor,
  given: { service: PushService; token: string; appId: string | null },
): Promise<void> {
  requireToken(given)
  if (given.appId !== null && !APP_ID.test(given.appId)) throw badAppId()
  await savePushToken(tx, actor.id, given)
}

export async function removePushToken(
  tx: Transaction,
  actor: Actor,
  given: { service: PushService; token: string },
): Promise<void> {
  requireToken(given)
  if (!(await deletePushToken(tx, actor.id, given))) throw noSuchToken()
}

function requireToken({ service, token }: { service: PushService; token: string }): void {
  if (token === '' || token.length > MAX_TOKEN_LENGTH) throw badTokenLength()
  if (service === 'apns' && !BASE64.test(token.replace(/[^A-Za-z0-9+/=]/g, ''))) throw badAppleToken()
}
