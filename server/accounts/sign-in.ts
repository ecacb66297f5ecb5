import type { HttpResponse } from '#http/http-types.ts'
import { redirect } from '#http/page-html.ts'
import { localPath, type RealmPageCall } from '#http/pages.ts'
import { queueMail } from '#mail/outbox.ts'
import { recordAudit } from '#people/audit.ts'
import { browserName, deleteSession, openSession, sessionCookie } from '#people/sessions.ts'
import { lockActiveUser } from '#people/user-queries.ts'
import { isBot, type User } from '#people/users.ts'
import type { Transaction } from '#storage/storage.ts'
import { NEW_LOGIN_TEMPLATE } from './emails.ts'

// The end of every sign-in. A method such as a password or a provider finds out who the user is and calls
// `completeSignIn`, which alone opens sessions of existing accounts: it checks that the account is still active and that
// the proof still holds, closes the browser's previous session, emails the user about a new browser, and logs the login.
// The goal says what the browser gets at the end. It is plain data, so that it survives further steps.

/** The result of a sign-in for the user: a session of the browser, which goes to the page at `next`. */
type SignInGoal = {
  kind: 'browser'
  /** The address of this server to which the browser goes. */
  next: string
  /** True if the session stays open when the browser is closed. */
  isKept: boolean
}

type SignIn = {
  /** The method, for the logs. */
  by: string
  goal: SignInGoal
  /**
   * Locks the account in the transaction of the sign-in, and returns whether the proof still holds, for example whether
   * the password is unchanged, and the account is active. If omitted, the account must be active.
   */
  lock?: (tx: Transaction) => Promise<boolean>
}

/**
 * Signs the user in and returns the response, which leads to the goal. Returns null and changes nothing if the user is
 * not a person of the addressed organization, the account is deactivated, or the proof no longer holds. Call it outside
 * of transactions, and only if the method has proved who the user is.
 */
export async function completeSignIn(
  call: RealmPageCall,
  user: User,
  { by, goal, lock = (tx) => lockActiveUser(tx, user.id) }: SignIn,
): Promise<HttpResponse | null> {
  const { realm, transaction } = call
  if (user.realmId !== realm.id || isBot(user)) return null
  return transaction(async (tx) => {
    if (!(await lock(tx))) return null
    await recordAudit(tx, realm.id, 'login', { actorId: user.id, targetId: user.id, by })
    return reachGoal(tx, call, user, goal)
  })
}

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
