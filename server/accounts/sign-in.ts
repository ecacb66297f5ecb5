import { z } from 'zod'
import type { HttpResponse } from '#http/http-types.ts'
import { redirect } from '#http/page-html.ts'
import { localPath, type RealmPageCall, readCookie, setCookie } from '#http/pages.ts'
import { readSealedContent, seal, verifySeal } from '#lib/secrets.ts'
import { queueMail } from '#mail/outbox.ts'
import { recordAudit } from '#people/audit.ts'
import { findPasswordHash } from '#people/passwords.ts'
import { BROWSER_TRUST, hasSecondFactor, isTrustedBrowser, trustBrowser } from '#people/second-factors.ts'
import { browserName, deleteSession, openSession, sessionCookie } from '#people/sessions.ts'
import { findUser, lockActiveUser } from '#people/user-queries.ts'
import { isBot, type User } from '#people/users.ts'
import type { Transaction } from '#storage/storage.ts'
import { NEW_LOGIN_TEMPLATE } from './emails.ts'

// The end of every sign-in. A method such as a password or a provider finds out who the user is and calls
// `completeSignIn`, which alone opens sessions of existing accounts: it checks that the account is still active and that
// the proof still holds, asks for the second factor of accounts that have one, closes the browser's previous session,
// emails the user about a new browser, and logs the login. The goal says what the user gets at the end. It is plain data:
// while the user is asked for the second factor, a sealed cookie keeps it.

const signInGoal = z.strictObject({
  kind: z.literal('browser'),
  /** The address of this server to which the browser goes. */
  next: z.string(),
  /** True if the session stays open when the browser is closed. */
  isKept: z.boolean(),
})

/** The result of a sign-in for the user: a session of the browser, which goes to the page at `next`. */
type SignInGoal = z.infer<typeof signInGoal>

type SignIn = {
  /** The method, for the logs. */
  by: string
  goal: SignInGoal
  /**
   * Locks the account in the transaction of the sign-in, and returns whether the proof still holds, for example whether
   * the password is unchanged, and the account is active. If omitted, the account must be active.
   */
  lock?: (tx: Transaction) => Promise<boolean>
  /** True if the method has proved two factors, so that no other one is asked for. */
  hasTwoFactors?: boolean
}

/**
 * Signs the user in and returns the response, which leads to the goal or to the page that asks for the second factor.
 * Returns null and changes nothing if the user is not a person of the addressed organization, the account is
 * deactivated, or the proof no longer holds. Call it outside of transactions, and only if the method has proved who the
 * user is.
 */
export async function completeSignIn(
  call: RealmPageCall,
  user: User,
  { by, goal, lock = (tx) => lockActiveUser(tx, user.id), hasTwoFactors = false }: SignIn,
): Promise<HttpResponse | null> {
  const { realm, transaction } = call
  if (user.realmId !== realm.id || isBot(user)) return null
  const response = await transaction(async (tx) => {
    if (!(await lock(tx))) return null
    if (!hasTwoFactors && (await needsSecondFactor(tx, call, user))) return 'second factor'
    await recordAudit(tx, realm.id, 'login', { actorId: user.id, targetId: user.id, by })
    return reachGoal(tx, call, user, goal)
  })
  return response === 'second factor' ? askForSecondFactor(call, user, { by, goal }) : response
}

async function needsSecondFactor(tx: Transaction, call: RealmPageCall, { id }: User): Promise<boolean> {
  if (!(await hasSecondFactor(tx.db, id))) return false
  const token = readCookie(call.settings, call, TRUST_COOKIE)
  return token === null || !(await isTrustedBrowser(tx.db, id, token, tx.now))
}

/** The cookie that marks a browser in which users are not asked for the second factor. */
const TRUST_COOKIE = 'trusted_browser'

/** Trusts the browser of the call for this user, and returns the cookie for it. */
export async function trustThisBrowser(tx: Transaction, call: RealmPageCall, user: User): Promise<string> {
  const token = await trustBrowser(tx, user.id, call.userAgent)
  return setCookie(call.settings, TRUST_COOKIE, token, BROWSER_TRUST)
}

/** A sign-in that waits for the second factor. */
export type PendingSignIn = Pick<SignIn, 'by' | 'goal'> & {
  user: User
  /** The hash of the password when the first factor was proved. */
  passwordHash: string | null
}

const PENDING_COOKIE = 'sign_in'

/** Seconds in which the second factor must follow the first. */
const PENDING_SECONDS = 600

const pendingContent = z.tuple([z.int(), z.number(), z.string(), signInGoal])

/** A change of the password, or of the account's organization, invalidates sign-ins that wait. */
const circumstancesOf = (user: User, passwordHash: string | null) => ['sign-in', user.realmId, passwordHash]

/** Redirects the browser to the page that asks for the second factor, with a cookie that proves the first. */
async function askForSecondFactor(
  { db, secret, settings, clock }: RealmPageCall,
  user: User,
  { by, goal }: Pick<SignIn, 'by' | 'goal'>,
): Promise<HttpResponse> {
  const content = [user.id, clock.now() + PENDING_SECONDS, by, goal]
  const sealed = seal(secret, circumstancesOf(user, await findPasswordHash(db, user.id)), content)
  return redirect('/login/second-factor/', {
    'set-cookie': setCookie(settings, PENDING_COOKIE, sealed, PENDING_SECONDS),
  })
}

/** Returns the sign-in that waits in this browser for the second factor; null if there is none or it has expired. */
export async function findPendingSignIn(call: RealmPageCall): Promise<PendingSignIn | null> {
  const { db, secret, settings, realm, clock } = call
  const sealed = readCookie(settings, call, PENDING_COOKIE) ?? ''
  const content = pendingContent.safeParse(readSealedContent(sealed))
  if (!content.success) return null
  const [userId, expiresAt, by, goal] = content.data
  const user = await findUser(db, userId)
  if (user === null || user.realmId !== realm.id || expiresAt <= clock.now()) return null
  const passwordHash = await findPasswordHash(db, userId)
  if (!verifySeal(secret, circumstancesOf(user, passwordHash), content.data, sealed)) return null
  return { user, by, goal, passwordHash }
}

/** Returns the cookie that ends the waiting. */
export const noPendingSignIn = ({ settings }: RealmPageCall): string => setCookie(settings, PENDING_COOKIE, '')

/** Gives the browser what the sign-in was for. */
async function reachGoal(
  tx: Transaction,
  { settings, visitor, userAgent, remoteAddress }: RealmPageCall,
  user: User,
  { next, isKept }: SignInGoal,
): Promise<HttpResponse> {
  if (visitor !== null) await deleteSession(tx, visitor.session.id)
  const { session, token, isNewBrowser } = await openSession(tx, user.id, { isKept, userAgent })
  if (isNewBrowser) await notifyNewLogin(tx, user, { userAgent, remoteAddress })
  return redirect(localPath(next), { 'set-cookie': sessionCookie(settings, token, session) })
}

/**
 * Seconds after joining during which no emails about logins are sent, because users try their new account in several
 * browsers then.
 */
const FIRST_LOGINS = 300

/**
 * Emails the user about a login in a new browser. Sends nothing if they have just joined or do not want these emails.
 */
async function notifyNewLogin(
  tx: Transaction,
  user: User,
  { userAgent, remoteAddress }: Pick<RealmPageCall, 'userAgent' | 'remoteAddress'>,
): Promise<void> {
  if (!user.settings.enable_login_emails || tx.now - user.joinedAt < FIRST_LOGINS) return
  const [address = ''] = remoteAddress.replace(/^::ffff:(?=\d+\.)/, '').split('%')
  await queueMail(tx, {
    realmId: user.realmId,
    recipient: user.deliveryEmail,
    letter: NEW_LOGIN_TEMPLATE,
    data: { userId: user.id, at: tx.now, browser: browserName(userAgent), address },
  })
}
