import { createCipheriv } from 'node:crypto'
import { z } from 'zod'
import type { HttpResponse } from '#http/http-types.ts'
import { copyButton, redirect, renderPage } from '#http/page-html.ts'
import { localPath, type RealmPageCall, readCookie, setCookie } from '#http/pages.ts'
import { CONTENT_POLICIES } from '#http/security-headers.ts'
import { type SignInGoal, savePendingSignIn, signInGoal } from '#identity/pending-sign-ins.ts'
import { type SignInMethods, signInPath } from '#identity/providers.ts'
import { refusal } from '#lib/errors.ts'
import { type Html, html } from '#lib/html.ts'
import { readSealedContent, seal, verifySeal } from '#lib/secrets.ts'
import { t } from '#lib/text.ts'
import { queueMail } from '#mail/outbox.ts'
import { issueApiKey } from '#people/api-keys.ts'
import { recordAudit } from '#people/audit.ts'
import { findPasswordHash } from '#people/password-hashes.ts'
import {
  BROWSER_TRUST,
  hasSecondFactor,
  isSecondFactorDue,
  isTrustedBrowser,
  trustBrowser,
} from '#people/second-factors.ts'
import { browserName, deleteSession, openSession, sessionCookie } from '#people/sessions.ts'
import { findUser, lockActiveUser } from '#people/user-queries.ts'
import { isBot, type User } from '#people/users.ts'
import { realmAddress } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { NEW_LOGIN_TEMPLATE } from './account-emails.ts'

// The end of every sign-in. A method such as a password or a provider finds out who the user is and calls
// `completeSignIn`, which alone opens sessions of existing accounts: it checks that the account is still active and that
// the proof still holds, asks for the second factor of accounts that have one and has those set one up that must have one,
// closes the browser's previous session, emails the user about a new browser, and logs the login. The goal says what the
// user gets at the end. It is plain data: while the user is asked for the second factor, a sealed cookie keeps it.

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
  /** Returns what the user must read before they reach the goal. It is called after `lock`. */
  notice?: () => Notice
}

/** A page with a link that leads on. */
type Notice = { heading: string; content: Html }

/**
 * Signs the user in and returns the response, which leads to the goal or to the page that asks for the second factor,
 * or for its set-up if the account lacks one that it must have.
 * Returns null and changes nothing if the user is not a person of the addressed organization, the account is
 * deactivated, or the proof no longer holds. Call it outside of transactions, and only if the method has proved who the
 * user is.
 */
export async function completeSignIn(
  call: RealmPageCall,
  user: User,
  { by, goal, lock = (tx) => lockActiveUser(tx, user.id), hasTwoFactors = false, notice }: SignIn,
): Promise<HttpResponse | null> {
  const { realm, transaction } = call
  if (user.realmId !== realm.id || isBot(user)) return null
  const response = await transaction(async (tx) => {
    if (!(await lock(tx))) return null
    if (!hasTwoFactors && (await asksForFactor(tx, call, user))) return 'second factor'
    await recordAudit(tx, realm.id, 'login', { actorId: user.id, targetId: user.id, by })
    return reachGoal(tx, call, user, goal, notice?.())
  })
  return response === 'second factor' ? askForSecondFactor(call, user, { by, goal }) : response
}

async function asksForFactor(tx: Transaction, call: RealmPageCall, { id }: User): Promise<boolean> {
  if (await hasSecondFactor(tx.db, id)) {
    const token = readCookie(call.settings, call, TRUST_COOKIE)
    return token === null || !(await isTrustedBrowser(tx.db, id, token, tx.now))
  }
  // The method may have just given the account another role.
  const user = await findUser(tx.db, id)
  return user !== null && isSecondFactorDue(user, call.realm.settings, tx.now)
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

/** Seconds in which the second factor must follow the first, and in which one must be set up. */
const PENDING_SECONDS = { given: 600, setUp: 1800 }

const pendingContent = z.tuple([z.int(), z.number(), z.string(), signInGoal])

/** A change of the password, or of the account's organization, invalidates sign-ins that wait. */
const circumstancesOf = (user: User, passwordHash: string | null) => ['sign-in', user.realmId, passwordHash]

/** Redirects the browser to the page that asks for the second factor or its set-up, with a cookie that proves the first. */
export async function askForSecondFactor(
  { db, secret, settings, clock }: RealmPageCall,
  user: User,
  { by, goal }: Pick<SignIn, 'by' | 'goal'>,
): Promise<HttpResponse> {
  const seconds = (await hasSecondFactor(db, user.id)) ? PENDING_SECONDS.given : PENDING_SECONDS.setUp
  const content = [user.id, clock.now() + seconds, by, goal]
  const sealed = seal(secret, circumstancesOf(user, await findPasswordHash(db, user.id)), content)
  return redirect('/login/second-factor/', {
    'set-cookie': setCookie(settings, PENDING_COOKIE, sealed, seconds),
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
  call: Pick<RealmPageCall, 'settings' | 'visitor' | 'userAgent' | 'remoteAddress' | 'realm'>,
  user: User,
  goal: SignInGoal,
  notice: Notice | undefined,
): Promise<HttpResponse> {
  if (goal.kind === 'mobile') {
    await notifyNewLogin(tx, user, call)
    return leadTo(call, await mobileAppAddress(tx, call, user, goal.otp), {}, notice)
  }
  if (goal.kind === 'desktop') return reachDesktopApp(tx, call, user, goal, notice)
  const { settings, visitor, userAgent } = call
  if (visitor !== null) await deleteSession(tx, visitor.session.id)
  const { session, token, isNewBrowser } = await openSession(tx, user.id, { isKept: goal.isKept, userAgent })
  if (isNewBrowser) await notifyNewLogin(tx, user, call)
  return leadTo(call, localPath(goal.next), { 'set-cookie': sessionCookie(settings, token, session) }, notice)
}

/** Redirects to the address; after a notice, a link leads there. */
function leadTo(
  { realm }: Pick<RealmPageCall, 'realm'>,
  address: string,
  headers: Readonly<Record<string, string>>,
  notice: Notice | undefined,
): HttpResponse {
  if (notice === undefined) return redirect(address, headers)
  return renderPage({
    heading: notice.heading,
    organization: realm,
    headers,
    content: html`${notice.content}<p><a class="button" href="${address}">${t('Continue')}</a></p>
`,
  })
}

/** The name of the API keys that mobile apps get. */
const MOBILE_CLIENT = 'ZulipMobile'

/** Returns the address that opens the mobile app with a new API key, which only the app can decrypt. */
async function mobileAppAddress(
  tx: Transaction,
  { realm, settings }: Pick<RealmPageCall, 'realm' | 'settings'>,
  user: User,
  otp: string,
): Promise<string> {
  const key = Buffer.from(await issueApiKey(tx, user.id, MOBILE_CLIENT, { isFromLogin: true }))
  const pad = Buffer.from(otp, 'hex')
  const query = new URLSearchParams({
    realm: realmAddress(realm.subdomain, settings.EXTERNAL_URL).url,
    email: user.deliveryEmail,
    user_id: String(user.id),
    otp_encrypted_api_key: Buffer.from(key.map((byte, at) => byte ^ (pad[at] ?? 0))).toString('hex'),
  })
  return `zulip://login?${query}`
}

/** Shows a key, encrypted with AES-256-GCM (nonce, text and tag), which the desktop app reads from the clipboard. */
async function reachDesktopApp(
  tx: Transaction,
  { realm }: Pick<RealmPageCall, 'realm'>,
  user: User,
  { otp, browser }: Extract<SignInGoal, { kind: 'desktop' }>,
  notice: Notice | undefined,
): Promise<HttpResponse> {
  const key = await savePendingSignIn(tx, realm.id, '', { kind: 'desktop', userId: user.id, browser })
  const nonce = tx.random.bytes(12)
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(otp, 'hex'), nonce)
  const encrypted = Buffer.concat([nonce, cipher.update(key), cipher.final(), cipher.getAuthTag()]).toString('hex')
  return renderPage({
    heading: notice?.heading ?? t('Return to the app'),
    organization: realm,
    content: html`${notice?.content}<p>${t('Copy this key. The desktop app finds it on the clipboard and signs you in. The key works once, for a minute.')}</p>
<div class="field">
<label for="desktop-data">${t('Sign-in key')}</label>
<input id="desktop-data" value="${encrypted}" readonly>
</div>
${copyButton('desktop-data', t('Copy key'))}<p><a href="/login/">${t('Sign in with this browser instead')}</a></p>
`,
  })
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

const invalidOtp = refusal('BAD_REQUEST', 400, 'Invalid OTP')
const twoFlows = refusal('BAD_REQUEST', 400, "Can't use both mobile_flow_otp and desktop_flow_otp together.")

const OTP = /^[0-9a-f]{64}$/i

/**
 * Returns the goal that the parameters of a page or form name. Apps of the reference server send `mobile_flow_otp` or
 * `desktop_flow_otp`: 64 hexadecimal digits with which they decrypt what they get at the end.
 */
export function readSignInGoal(given: { get(name: string): string | undefined }, isKept: boolean): SignInGoal {
  const [mobile = '', desktop = ''] = [given.get('mobile_flow_otp'), given.get('desktop_flow_otp')]
  if (mobile !== '' && desktop !== '') throw twoFlows()
  const otp = mobile || desktop
  if (otp === '') return { kind: 'browser', next: localPath(given.get('next') ?? '/'), isKept }
  if (!OTP.test(otp)) throw invalidOtp()
  return mobile === '' ? { kind: 'desktop', otp, browser: given.get('desktop_browser') ?? '' } : { kind: 'mobile', otp }
}

/** Returns the parameters from which `readSignInGoal` reads the goal again. */
export function goalParameters(goal: SignInGoal): Record<string, string> {
  if (goal.kind === 'mobile') return { mobile_flow_otp: goal.otp }
  if (goal.kind === 'desktop') return { desktop_flow_otp: goal.otp, desktop_browser: goal.browser }
  return { next: goal.next }
}

/**
 * Returns the headers of a page whose form leads to the goal. Browsers apply the policy of the page when the response
 * to its form redirects to an app.
 */
export const goalHeaders = ({ kind }: SignInGoal): Record<string, string> =>
  kind === 'mobile' ? { 'content-security-policy': CONTENT_POLICIES.pageBeforeApp } : {}

/** Renders the buttons of all methods besides passwords; null if there are none. `parameters` go with the sign-in. */
export function methodButtons({ external }: SignInMethods, parameters: Record<string, string>): Html | null {
  const enabled = external.filter(({ isEnabled }) => isEnabled)
  if (enabled.length === 0) return null
  return html`${enabled.map(
    ({ id, displayName, preset }) =>
      html`<a class="method" href="${signInPath(id)}?${String(new URLSearchParams(parameters))}"><span class="method-mark" data-preset="${preset}" aria-hidden="true">${[...displayName][0]?.toUpperCase()}</span>${t('Continue with {provider}', { provider: displayName })}</a>
`,
  )}`
}

/** The line between the buttons and a form. */
export const orWithEmail = html`<p class="divider">${t('or with your email')}</p>
`
