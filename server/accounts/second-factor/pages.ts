import type { HttpResponse } from '#http/http-types.ts'
import { checkbox, copyButton, field, hidden, redirect, renderPage } from '#http/page-html.ts'
import { type Page, type PageCall, page, type RealmPageCall, withCookies } from '#http/pages.ts'
import { limitByNetwork } from '#http/rate-limits.ts'
import { catchRefusal, NO_STORE } from '#http/refusals.ts'
import { Refusal } from '#lib/errors.ts'
import { type Html, html } from '#lib/html.ts'
import { t } from '#lib/text.ts'
import { lockPassword } from '#people/password-hashes.ts'
import { findPasskeys, hasSecondFactor, lockSecondFactors, saveTotp, takeCode } from '#people/second-factors.ts'
import { browserName } from '#people/sessions.ts'
import { findUser } from '#people/user-queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { PASSWORDS_PER_NETWORK } from '../password-checks.ts'
import { afterAddingFactor, type FactorChange, notifyFactorChange } from '../second-factor-changes.ts'
import {
  completeSignIn,
  findPendingSignIn,
  goalHeaders,
  goalParameters,
  noPendingSignIn,
  type PendingSignIn,
  readSignInGoal,
  trustThisBrowser,
} from '../sign-in.ts'
import { limitSecondFactors, logWrongFactor, resetSecondFactorLimit } from './attempts.ts'
import {
  authenticationOptions,
  registrationOptions,
  supportsPasskeys,
  verifyPasskey,
  verifyRegistration,
} from './passkeys.ts'
import {
  describeTotpSetup,
  findSetupStep,
  readTotpSetup,
  savePasskey,
  startTotpSetup,
  type TotpSetup,
} from './set-up.ts'

const showSecondFactor = page({
  route: 'GET /login/second-factor/',
  who: 'anyone here',
  async handle(call) {
    const pending = await findPendingSignIn(call)
    if (pending === null) return startAgain(call)
    return (await hasSecondFactor(call.db, pending.user.id))
      ? secondFactorPage(call, pending)
      : setUpPage(call, pending)
  },
})

/** Leads back to the login page if nothing waits for a second factor, for example because it took too long. */
const startAgain = (call: RealmPageCall) => redirect('/login/?expired=1', { 'set-cookie': noPendingSignIn(call) })

type Given = { code: string; passkey: string; trust: string }

const submitSecondFactor = page({
  route: 'POST /login/second-factor/',
  who: 'anyone here',
  fields: ['code', 'passkey', 'trust'],
  async handle(call, given) {
    const pending = await findPendingSignIn(call)
    if (pending === null) return startAgain(call)
    const response = await catchRefusal(() => finishSignIn(call, pending, given))
    if (response instanceof Refusal) return lockedPage(call, pending, response)
    if (response !== null) return response
    const error = given.passkey === '' ? WRONG_CODE : WRONG_PASSKEY
    return secondFactorPage(call, pending, { status: 400, error })
  },
})

const WRONG_CODE = t('This code is wrong, or it was used before. Wait for the next one.')
const WRONG_PASSKEY = t('The passkey was not accepted. Try again, or use a code.')

/** Uses the second factor in the transaction that signs the user in. Returns null if it is wrong. */
async function finishSignIn(call: RealmPageCall, pending: PendingSignIn, given: Given): Promise<HttpResponse | null> {
  const { realm, secret } = call
  const { user, passwordHash, by, goal } = pending
  await limitSecondFactors(call, user)
  const isPasskey = given.passkey !== ''
  const proved = isPasskey ? await verifyPasskey(call, realm, ['second factor', user.id], given.passkey) : null
  let trust: string | null = null
  const response = await completeSignIn(call, user, {
    by: `${by}, ${isPasskey ? 'passkey' : 'code'}`,
    goal,
    hasTwoFactors: true,
    async lock(tx) {
      if (!(await lockPassword(tx, user.id, passwordHash))) return false
      const kind = isPasskey ? null : await takeCode(tx, secret, user.id, given.code)
      if (isPasskey ? proved === null || !(await proved.take(tx)) : kind === null) return false
      if (kind === 'recovery code') await notifyFactorChange(tx, user, 'recovery code used')
      trust = given.trust === '' ? null : await trustThisBrowser(tx, call, user)
      return true
    },
  })
  if (response === null) {
    logWrongFactor(call, user)
    return null
  }
  await resetSecondFactorLimit(call, user)
  return withCookies(response, [noPendingSignIn(call), ...(trust === null ? [] : [trust])])
}

function lockedPage(call: RealmPageCall, pending: PendingSignIn, refused: Refusal): Promise<HttpResponse> {
  const seconds = Math.ceil(Number(refused.extras['retry-after'] ?? 1))
  return secondFactorPage(call, pending, {
    status: refused.kind.status,
    error: t('Too many wrong codes. Try again in {minutes, plural, one {# minute} other {# minutes}}.', {
      minutes: Math.ceil(seconds / 60),
    }),
    headers: { 'retry-after': String(seconds) },
  })
}

type PageOptions = { status?: number; error?: string; headers?: Record<string, string> }

async function secondFactorPage(
  call: RealmPageCall,
  { user, goal }: PendingSignIn,
  { status = 200, error, headers = {} }: PageOptions = {},
): Promise<HttpResponse> {
  const { realm } = call
  const hasPasskeys = supportsPasskeys(call, realm) && (await findPasskeys(call.db, user.id)).length > 0
  return renderPage({
    status,
    heading: t('Confirm it’s you'),
    organization: realm,
    hasErrors: error !== undefined,
    headers: { ...goalHeaders(goal), ...headers },
    content: html`<p>${t('Enter the code that your authenticator app shows for {organization}, or one of your recovery codes.', { organization: realm.name })}</p>
<form method="post" action="/login/second-factor/">
${field({ name: 'code', label: t('Code'), autocomplete: 'one-time-code', error, isFocused: true })}${checkbox({
  name: 'trust',
  label: t('Don’t ask again on this browser for 30 days'),
})}<button>${t('Continue')}</button>
</form>
${hasPasskeys && passkeyFormOf('/login/second-factor/', '/login/passkey/?second_factor=1', { trust: '' })}<p><a href="/login/">${t('Back to login')}</a></p>
`,
  })
}

// The set-up of a second factor in the middle of a sign-in, for people who must have one and have none.

const submitSetUp = page({
  route: 'POST /login/second-factor/set-up/',
  who: 'anyone here',
  fields: ['key', 'code', 'passkey'],
  async handle(call, { key, code, passkey }) {
    const pending = await findPendingSignIn(call)
    if (pending === null) return startAgain(call)
    await limitByNetwork(call, 'passwords', PASSWORDS_PER_NETWORK)
    return passkey === '' ? setUpTotp(call, pending, key, code) : setUpPasskey(call, pending, passkey)
  },
})

async function setUpTotp(
  call: RealmPageCall,
  pending: PendingSignIn,
  key: string,
  code: string,
): Promise<HttpResponse> {
  const { realm, clock } = call
  const secret = readTotpSetup(call, pending.user, key)
  if (secret === null) return setUpPage(call, pending, { error: t('This took too long. Scan the new QR code.') })
  const lastStep = await findSetupStep(secret, code, clock.now())
  if (lastStep !== null)
    return setUpFactor(call, pending, { change: 'totp added' }, async (tx) => {
      await saveTotp(tx, call, pending.user.id, { secret, lastStep })
      return true
    })
  const setup = await describeTotpSetup(realm, pending.user, secret, key)
  return setUpPage(call, pending, { setup, error: t('This code is wrong. Wait for the next one.') })
}

async function setUpPasskey(call: RealmPageCall, pending: PendingSignIn, response: string): Promise<HttpResponse> {
  const found = await verifyRegistration(call, call.realm, pending.user, response)
  if (found === null)
    return setUpPage(call, pending, { error: t('The passkey was not accepted. Try again, or use an app.') })
  const { take, ...passkey } = found
  const name = browserName(call.userAgent) || t('Passkey')
  return setUpFactor(
    call,
    pending,
    { change: 'passkey added', name },
    async (tx) => (await take(tx)) && (await savePasskey(tx, pending.user.id, passkey, name)) !== null,
  )
}

/**
 * Saves the factor in the transaction that signs the user in, and shows the recovery codes. If the account has a factor
 * meanwhile, nothing is saved: otherwise, a stolen password would be enough to add one. The other sessions of the user,
 * which were refused, are closed.
 */
async function setUpFactor(
  call: RealmPageCall,
  { user, passwordHash, by, goal }: PendingSignIn,
  added: { change: FactorChange; name?: string },
  save: (tx: Transaction) => Promise<boolean>,
): Promise<HttpResponse> {
  let codes: readonly string[] | null = null
  const response = await completeSignIn(call, user, {
    by: `${by}, ${added.change === 'totp added' ? 'code' : 'passkey'}`,
    goal,
    hasTwoFactors: true,
    async lock(tx) {
      if (!(await lockPassword(tx, user.id, passwordHash))) return false
      if ((await hasSecondFactor(tx.db, user.id)) || !(await save(tx))) return false
      codes = await afterAddingFactor(tx, call, user, { ...added, session: null, logsOutOthers: true })
      return true
    },
    notice: () => ({ heading: t('Save your recovery codes'), content: recoveryCodeList(codes ?? []) }),
  })
  return response === null ? redirect('/login/second-factor/') : withCookies(response, [noPendingSignIn(call)])
}

const recoveryCodeList = (
  codes: readonly string[],
): Html => html`<p>${t('These codes are only shown once. Keep them where you find them without your phone. Each code works once in place of the second step.')}</p>
<ul class="codes" id="recovery-codes" aria-label="${t('Recovery codes')}">
${codes.map((code) => html`<li>${code}</li>\n`)}</ul>
${copyButton('recovery-codes', t('Copy codes'), 'plain')}`

async function setUpPage(
  call: RealmPageCall,
  { user, goal }: PendingSignIn,
  { setup, error }: { setup?: TotpSetup; error?: string } = {},
): Promise<HttpResponse> {
  const { realm } = call
  const { secret, address, key } = setup ?? (await startTotpSetup(call, realm, user))
  return renderPage({
    status: error === undefined ? 200 : 400,
    heading: t('Set up two-step login'),
    organization: realm,
    hasErrors: error !== undefined,
    headers: goalHeaders(goal),
    content: html`<p>${t('{organization} requires two-step login, so that a stolen password is not enough. Scan the QR code with an authenticator app on your phone.', { organization: realm.name })}</p>
${await qrCode(address)}<details>
<summary>${t('Without a camera')}</summary>
<p>${t('Enter this key in the app:')} <code class="key">${secret.match(/.{4}/g)?.join(' ')}</code></p>
<p><a href="${address}">${t('Open an app on this device')}</a></p>
</details>
<form method="post" action="/login/second-factor/set-up/">
${hidden('key', key)}${field({
  name: 'code',
  label: t('Code that the app shows'),
  autocomplete: 'one-time-code',
  error,
})}<button>${t('Continue')}</button>
</form>
${supportsPasskeys(call, realm) && passkeyFormOf('/login/second-factor/set-up/', '/login/passkey/?set_up=1', {}, true)}<p><a href="/login/">${t('Back to login')}</a></p>
`,
  })
}

/** Draws a QR code, dark on white in both themes, since some cameras read nothing else. */
async function qrCode(text: string): Promise<Html> {
  const { default: encodeQR } = await import('qr')
  const rows = encodeQR(text, 'raw', { border: 1 })
  const dark = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return html`<svg class="qr-code" viewBox="0 0 ${rows.length} ${rows.length}" role="img" aria-label="${t('QR code for the authenticator app')}"><path d="${dark.join('')}" shape-rendering="crispEdges"/></svg>
`
}

/**
 * Renders a form that browsers submit with the response of a passkey, or of a new one, for options from the address
 * `options`. Scripts show it (`assets/pages.js`), because it needs them.
 */
const passkeyFormOf = (
  action: string,
  options: string,
  values: Readonly<Record<string, string>>,
  isNew = false,
): Html => html`<form method="post" action="${action}" data-passkey="${options}"${isNew && html` data-new`} hidden>
${Object.entries(values).map(([name, value]) => hidden(name, value))}${hidden('passkey', '')}<p class="error" role="alert" hidden>${t('The passkey could not be used. Try again.')}</p>
<button type="button" class="plain">${isNew ? t('Set up a passkey instead') : t('Use a passkey')}</button>
</form>
`

/** Renders the button of the login page for people with a passkey; null at an address without passkeys. */
export const passkeyForm = (
  call: Pick<PageCall, 'settings'>,
  realm: Realm,
  given: Readonly<Record<string, string>>,
): Html | null => (supportsPasskeys(call, realm) ? passkeyFormOf('/login/passkey/', '/login/passkey/', given) : null)

/** Returns the options with which the script asks for a passkey, as JSON. */
const showPasskeyOptions = page({
  route: 'GET /login/passkey/',
  who: 'anyone here',
  async handle(call) {
    const { realm, query } = call
    await limitByNetwork(call, 'passwords', PASSWORDS_PER_NETWORK)
    const pending = query.has('second_factor') || query.has('set_up') ? await findPendingSignIn(call) : null
    const passkeys = pending === null ? [] : await findPasskeys(call.db, pending.user.id)
    const purpose = pending === null ? (['sign in', realm.id] as const) : (['second factor', pending.user.id] as const)
    const isNew = query.has('set_up') && pending !== null && passkeys.length === 0
    const options = isNew
      ? await registrationOptions(call, realm, pending.user, passkeys)
      : await authenticationOptions(call, realm, [...purpose], passkeys)
    const headers = { ...NO_STORE, 'content-type': 'application/json' }
    return { status: 200, headers, body: JSON.stringify(options) }
  },
})

const signInByPasskey = page({
  route: 'POST /login/passkey/',
  who: 'anyone here',
  fields: ['passkey', 'next', 'keep', 'mobile_flow_otp', 'desktop_flow_otp', 'desktop_browser'],
  async handle(call, { passkey, keep, ...rest }) {
    const goal = readSignInGoal(new Map(Object.entries(rest)), keep !== '')
    const { db, realm } = call
    await limitByNetwork(call, 'passwords', PASSWORDS_PER_NETWORK)
    const proved = await verifyPasskey(call, realm, ['sign in', realm.id], passkey)
    const user = proved === null ? null : await findUser(db, proved.userId)
    const response =
      proved === null || user === null
        ? null
        : await completeSignIn(call, user, {
            by: 'passkey',
            goal,
            hasTwoFactors: true,
            lock: async (tx) => (await lockSecondFactors(tx, user.id)) && proved.take(tx),
          })
    if (response !== null) return response
    if (user !== null) logWrongFactor(call, user)
    return redirect(`/login/?${new URLSearchParams({ passkey_refused: '1', ...goalParameters(goal) })}`)
  },
})

export const secondFactorPages: readonly Page[] = [
  showSecondFactor,
  submitSecondFactor,
  submitSetUp,
  showPasskeyOptions,
  signInByPasskey,
]
