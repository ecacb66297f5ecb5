import { hashSecret } from '#lib/security/secrets.ts'
import { renewSession } from '#people/sessions/open-session.ts'
import { findSessionByHash } from '#people/sessions/queries.ts'
import { isDueForRenewal, type Session } from '#people/sessions/session.ts'
import { readSessionToken, sessionCookie } from '#people/sessions/session-cookie.ts'
import { findUser } from '#people/users/queries.ts'
import type { Actor } from '#people/users/user.ts'
import { findRealm } from '#realms/queries.ts'
import { subdomainOf } from '#realms/realm.ts'
import type { Services } from '../endpoint.ts'
import type { HttpRequest, ResponseHeaders } from '../wire/http-types.ts'

export type SessionServices = Pick<Services, 'db' | 'transaction' | 'settings' | 'clock'>

/** An account with its session. */
export type SignedIn = { actor: Actor; session: Session }

/**
 * Returns the account with which the browser is logged in to the addressed organization; null if it is not logged in. A
 * cached session costs no query.
 */
export async function findSignedIn(
  { db, settings, clock }: SessionServices,
  request: { headers: { cookie?: string | undefined }; host: string },
): Promise<SignedIn | null> {
  const token = readSessionToken(settings, request.headers.cookie)
  if (token === null) return null
  const session = await findSessionByHash(db, hashSecret(token))
  if (session === null || session.expiresAt <= clock.now()) return null

  const user = await findUser(db, session.userId)
  const realm = user === null ? null : await findRealm(db, user.realmId)
  if (user === null || realm === null || user.deactivatedAt !== null || realm.deactivatedAt !== null) return null
  const isHere = subdomainOf(request.host, settings.EXTERNAL_URL, settings.REALM_HOSTS) === realm.subdomain
  return isHere ? { actor: { ...user, realm }, session } : null
}

/** Extends a session that is in use, and sets its cookie again. */
export async function renewWhenDue(
  { transaction, settings, clock }: SessionServices,
  request: Pick<HttpRequest, 'headers'>,
  session: Session,
  headers: ResponseHeaders,
): Promise<void> {
  if (!isDueForRenewal(session, clock.now())) return
  const token = readSessionToken(settings, request.headers.cookie)
  if (token === null) return
  await transaction((tx) => renewSession(tx, session))
  headers['set-cookie'] = sessionCookie(settings, token, session)
}
