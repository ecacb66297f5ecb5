import { fetchAvatar } from '#accounts/avatars.ts'
import { emailNotAllowed, emailTaken } from '#accounts/change-email.ts'
import { nameNotUnique } from '#accounts/change-users.ts'
import { completeSignIn, goalHeaders, goalParameters, readSignInGoal } from '#accounts/sign-in.ts'
import type { HttpResponse } from '#http/http-types.ts'
import { csrfField, expiredLinkPage, redirect, renderPage } from '#http/page-html.ts'
import { addressWithQuery, page, type RealmPageCall, type Visitor } from '#http/pages.ts'
import { limitByNetwork, mayMail, type RateRule } from '#http/rate-limits.ts'
import { catchRefusal } from '#http/refusals.ts'
import { findOwnerOfIdentity, saveExternalIdentity } from '#identity/external-identities.ts'
import {
  beginExchange,
  completeExchange,
  isProblem,
  LOGOUT_TOKEN_AGE,
  type ProviderProblem,
  readLogoutToken,
} from '#identity/openid.ts'
import {
  browserKeyCookie,
  deletePendingSignIn,
  type ExternalIdentity,
  findPendingByHash,
  findPendingSignIn,
  newBrowserKey,
  type PendingSignIn,
  readBrowserKey,
  type SignInGoal,
  savePendingSignIn,
  useOnce,
} from '#identity/pending-sign-ins.ts'
import {
  type AnyProvider,
  findAllProviders,
  findEnabledProvider,
  findEnabledSource,
  findProviders,
  type IdentitySource,
} from '#identity/providers.ts'
import { beginSaml, type ServiceProvider } from '#identity/saml.ts'
import type { Invitation } from '#invitations/invitation.ts'
import { findInvitationStatus } from '#invitations/invitation-status.ts'
import { Refusal } from '#lib/errors.ts'
import { type Html, html } from '#lib/html.ts'
import { hashSecret } from '#lib/secrets.ts'
import { bold, linkTo, rich, t } from '#lib/text.ts'
import { queueMail } from '#mail/outbox.ts'
import { mayManageSignIn } from '#people/access.ts'
import { recordAudit } from '#people/audit.ts'
import { noLicensesLeft } from '#people/creation-limits.ts'
import { deleteSessionsOf, isRecentLogin } from '#people/sessions.ts'
import { findUser, lockActiveUser } from '#people/user-queries.ts'
import type { User } from '#people/users.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { domainNotAllowed, invitationNotValid } from './accept-invitation.ts'
import {
  applyGroups,
  CONNECT_TEMPLATE,
  connectIdentity,
  createFromIdentity,
  findArrival,
  readConnectKey,
} from './external-sign-in.ts'
import { invitationRequired } from './sign-up.ts'

// The pages of a sign-in with another service: going there, coming back, and connecting the account there with one that
// exists. They work without scripts. Every problem has a page that says what to do, and a line in the log without
// secrets; nobody is signed in then.

/** The limits of sign-ins that one network begins. They allow an office to arrive at nine o'clock. */
export const BEGIN_LIMITS: readonly RateRule[] = [
  [60, 60],
  [3600, 600],
]

const redirectAddress = ({ realm, settings }: RealmPageCall, provider: string) =>
  `${realmAddress(realm.subdomain, settings.EXTERNAL_URL).url}/complete/${provider}/`

/** Returns this organization as identity providers of SAML know it: by the addresses of the reference server. */
export function serviceOf(call: RealmPageCall): ServiceProvider {
  const { url } = realmAddress(call.realm.subdomain, call.settings.EXTERNAL_URL)
  return { entityId: url, answerUrl: redirectAddress(call, 'saml') }
}

/** Sends the browser to the provider. */
async function begin(call: RealmPageCall, id: string): Promise<HttpResponse> {
  const { db, realm, query, settings, random, visitor, userAgent } = call
  const { url } = realmAddress(realm.subdomain, settings.EXTERNAL_URL)
  // The provider sends the browser back to this address, so the cookie must belong to it.
  if (call.host !== new URL(url).host) return redirect(url + addressWithQuery(call))
  const isTest = query.has('test') && visitor !== null && mayManageSignIn(visitor.actor)
  const provider = isTest
    ? ((await findAllProviders(db, realm)).find((one) => one.id === id) ?? null)
    : await findEnabledProvider(db, realm, id)
  if (provider === null) return notOfferedPage(realm)
  const goal = readSignInGoal(query, true)
  const browser = readBrowserKey(call) || newBrowserKey(random)
  if (/\bZulipElectron\//.test(userAgent) && goal.kind !== 'desktop') return desktopAppPage(call, provider, browser)
  await limitByNetwork(call, 'sign-ins with other services', BEGIN_LIMITS)
  const [nonce, verifier] = [newBrowserKey(random), newBrowserKey(random)]
  const invitation = query.get('invitation') ?? ''
  const { issuer } = provider
  const pending = { kind: 'provider', provider: id, issuer, nonce, verifier, goal, invitation, isTest } as const
  const state = await call.transaction((tx) => savePendingSignIn(tx, realm.id, browser, pending))
  const address =
    provider.preset === 'saml'
      ? await beginSaml(call, provider, serviceOf(call), { nonce, state })
      : await beginExchange(call, provider, { redirectUri: redirectAddress(call, id), state, nonce, verifier })
  if (isProblem(address)) return problemPage(call, provider, address, pending)
  return redirect(address, { 'set-cookie': browserKeyCookie(settings, browser) })
}

const beginSignIn = page({
  route: 'GET /accounts/login/social/{provider}',
  who: 'anyone here',
  handle: (call, { provider }) => begin(call, provider),
})

const beginSignUp = page({
  route: 'GET /accounts/register/social/{provider}',
  who: 'anyone here',
  handle: (call, { provider }) => begin(call, provider),
})

/** The desktop app opens the provider in the browser of the system, and waits for the key on the clipboard. */
export function desktopAppPage(
  call: RealmPageCall,
  { id, displayName }: Pick<AnyProvider, 'id' | 'displayName'>,
  browser: string,
): HttpResponse {
  const address = `${call.path}?${new URLSearchParams({ desktop_browser: hashSecret(browser), provider: id })}`
  return renderPage({
    heading: t('Sign in with your browser'),
    organization: call.realm,
    headers: { 'set-cookie': browserKeyCookie(call.settings, browser) },
    content: html`<p>${t('{provider} opens in your browser. Sign in there, copy the key, and return to this window.', { provider: displayName })}</p>
<p><a class="button" href="${address}" data-desktop-flow>${t('Open browser')}</a></p>
<p><a href="/login/">${t('Back to sign-in')}</a></p>
`,
  })
}

const complete = page({
  route: 'GET /complete/{provider}/',
  who: 'anyone here',
  async handle(call, { provider: id }) {
    const { db, realm, query, clock } = call
    const state = query.get('state') ?? ''
    const pending = await findPendingSignIn(db, {
      realmId: realm.id,
      browser: readBrowserKey(call),
      kind: 'provider',
      key: state,
      now: clock.now(),
    })
    if (pending === null || pending.provider !== id) return expiredPage(call, 'unknown state')
    // The state is used up before the provider is asked, so that an answer counts once even on several nodes.
    if (!(await call.transaction((tx) => deletePendingSignIn(tx, hashSecret(state))))) return expiredPage(call, 'used')
    const provider = (await findProviders(db, realm)).find((one) => one.id === id) ?? null
    if (provider === null) return notOfferedPage(realm)
    if (provider.issuer !== pending.issuer) return expiredPage(call, 'other issuer')
    if (!pending.isTest && (await findEnabledProvider(db, realm, id)) === null) return notOfferedPage(realm)
    const { nonce, verifier } = pending
    const exchange = { redirectUri: redirectAddress(call, id), state, nonce, verifier }
    const identity = await completeExchange(call, provider, exchange, query)
    if (isProblem(identity)) return problemPage(call, provider, identity, pending)
    return pending.isTest ? reportPage(call, provider, identity) : arrive(call, provider, identity, pending)
  },
})

/** Providers such as Apple answer with a form of their site, to which browsers add no cookies of this one. */
const completeByForm = page({
  route: 'POST /complete/{provider}/',
  who: 'anyone here',
  acceptsOtherSites: true,
  fields: ['code', 'state', 'error', 'iss', 'user'],
  async handle(_, { provider, user, ...given }) {
    const answer = new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ''))
    const name = appleName(user)
    if (name !== null) answer.set('user', name)
    return redirect(`/complete/${provider}/?${answer}`)
  },
})

/** Returns the name in what Apple sends beside the code, without the address. */
function appleName(user: string): string | null {
  try {
    const { name } = JSON.parse(user) as { name?: unknown }
    return typeof name === 'object' && name !== null ? JSON.stringify({ name }) : null
  } catch {
    return null
  }
}

/** The circumstances of an arrival. */
type ArrivalOptions = {
  goal: SignInGoal
  /** The key of the invitation with which the sign-in began; '' for none. */
  invitation: string
  /** True to connect an account with the same address without asking its owner. */
  linksByAddress?: boolean
  /** True to sign in with the identity alone, even if the browser is signed in to another account. */
  ignoresVisitor?: boolean
  /** Completes an account that was created. */
  onJoined?: (user: User) => Promise<void>
}

/** Signs the person in, asks them to connect an account, or creates one. */
export async function arrive(
  call: RealmPageCall,
  provider: IdentitySource,
  identity: ExternalIdentity,
  options: ArrivalOptions,
): Promise<HttpResponse> {
  const { db, realm, secret, clock, visitor, transaction } = call
  const { goal, invitation: key, linksByAddress = false, ignoresVisitor = false } = options
  const status = key === '' ? null : await findInvitationStatus(db, realm, key, secret, clock.now())
  const invitation = status?.state === 'pending' ? status.invitation : null
  const arrival = await findArrival(db, realm, identity, invitation, clock.now())
  if (arrival.kind === 'known') return signInWith(call, provider, identity, arrival.user, goal)
  if (visitor !== null && !ignoresVisitor) return startConnecting(call, identity, visitor.actor, goal)
  if (arrival.kind === 'unverified') return unverifiedPage(call, provider)
  if (arrival.kind === 'same address') {
    const { user } = arrival
    if (!linksByAddress) return startConnecting(call, identity, user, goal)
    await transaction((tx) => connectIdentity(tx, realm, provider, identity, user))
    return signInWith(call, provider, identity, user, goal)
  }
  if (arrival.kind === 'to confirm') return startConnecting(call, identity, arrival.user, goal)
  if (arrival.kind === 'not invited') return refusedPage(realm, invitationRequired().message)
  return join(call, provider, identity, arrival, options)
}

/** Signs in to the account that the identity belongs to, or will belong to. */
async function signInWith(
  call: RealmPageCall,
  provider: IdentitySource,
  identity: ExternalIdentity,
  user: User,
  goal: SignInGoal,
): Promise<HttpResponse> {
  const { realm } = call
  const response = await completeSignIn(call, user, {
    by: provider.displayName,
    goal,
    async lock(tx) {
      if (!(await lockActiveUser(tx, user.id))) return false
      if (!(await saveExternalIdentity(tx, user, identity))) return false
      await applyGroups(tx, realm, provider, user, identity)
      return true
    },
  })
  return (
    response ??
    refusedPage(realm, t('Your account is deactivated. Ask an administrator of the organization to reactivate it.'))
  )
}

/** The refusals of `createFromIdentity`. */
export const joiningRefusals = [
  emailNotAllowed,
  emailTaken,
  nameNotUnique,
  noLicensesLeft,
  domainNotAllowed,
  invitationNotValid,
  invitationRequired,
]

/** Creates the account of a new person and signs them in. */
async function join(
  call: RealmPageCall,
  provider: IdentitySource,
  identity: ExternalIdentity,
  { email, invitation }: { email: string; invitation: Invitation | null },
  { goal, onJoined }: ArrivalOptions,
): Promise<HttpResponse> {
  const { realm, transaction } = call
  const picture = identity.picture === null ? null : await fetchAvatar(call, realm.id, identity.picture)
  const joined = await catchRefusal(() =>
    transaction((tx) => createFromIdentity(tx, realm, provider, identity, { email, invitation, picture })),
  )
  if (!(joined instanceof Refusal)) {
    await onJoined?.(joined)
    return signInWith(call, provider, identity, joined, goal)
  }
  if (!joiningRefusals.some((kind) => kind === joined.kind)) throw joined
  return refusedPage(realm, joined.message)
}

const identityKey = (call: RealmPageCall, key: string) => ({
  realmId: call.realm.id,
  browser: readBrowserKey(call),
  kind: 'link' as const,
  key,
  now: call.clock.now(),
})

type PendingLink = Extract<PendingSignIn, { kind: 'link' }>

const connectPath = (key: string) => `/accounts/connect/${key}/`

const CONNECT_PATH = /^\/accounts\/connect\/([^/?#]+)\/$/

/** Returns what this browser connects with an account when it reaches the goal; null if nothing. */
export async function findSourceToConnect(call: RealmPageCall, goal: SignInGoal): Promise<IdentitySource | null> {
  const [, key] = goal.kind === 'browser' ? (CONNECT_PATH.exec(goal.next) ?? []) : []
  const pending = key === undefined ? null : await findPendingSignIn(call.db, identityKey(call, key))
  return pending === null ? null : findEnabledSource(call.db, call.realm, pending.identity.provider)
}

/** Asks the owner of the account to confirm the connection. */
async function startConnecting(
  call: RealmPageCall,
  identity: ExternalIdentity,
  user: User,
  goal: SignInGoal,
): Promise<HttpResponse> {
  const { realm, transaction, settings, random } = call
  const browser = readBrowserKey(call) || newBrowserKey(random)
  const pending: PendingLink = { kind: 'link', identity, userId: user.id, goal }
  const key = await transaction((tx) => savePendingSignIn(tx, realm.id, browser, pending))
  return redirect(connectPath(key), { 'set-cookie': browserKeyCookie(settings, browser) })
}

/** Returns a sign-in that waits for a connection, with its account and provider; or the page to show instead. */
async function findConnecting(
  call: RealmPageCall,
  pending: PendingLink | null,
): Promise<{ pending: PendingLink; user: User; provider: IdentitySource } | { page: HttpResponse }> {
  const { db, realm } = call
  const user = pending === null ? null : await findUser(db, pending.userId)
  if (pending === null || user === null || user.realmId !== realm.id) return { page: expiredPage(call, 'connection') }
  const provider = await findEnabledSource(db, realm, pending.identity.provider)
  if (provider === null) return { page: notOfferedPage(realm) }
  if (provider.issuer !== pending.identity.issuer) return { page: expiredPage(call, 'other issuer') }
  return { pending, user, provider }
}

/** Returns the name by which people recognize their account at a provider. */
const accountOf = ({ email, name, subject }: ExternalIdentity) => email ?? (name || subject)

const showConnecting = page({
  route: 'GET /accounts/connect/{key}/',
  who: 'anyone here',
  async handle(call, { key }) {
    const { db, realm, visitor } = call
    const found = await findConnecting(call, await findPendingSignIn(db, identityKey(call, key)))
    if ('page' in found) return found.page
    const { pending, user, provider } = found
    if (visitor?.actor.id === user.id && !hasJustSignedIn(call, visitor))
      return mailOnlyPage(realm, provider, user, key)
    const [name, account] = [provider.displayName, accountOf(pending.identity)]
    if (visitor?.actor.id === user.id)
      return renderPage({
        heading: t('Connect {provider} to your account?', { provider: name }),
        organization: realm,
        content: html`<p>${rich('From then on, <b>{account}</b> at {provider} can sign in to {realm} as {name}.', { account, provider: name, realm: realm.name, name: user.fullName, b: bold })}</p>
<form method="post" action="${connectPath(key)}">
${csrfField(visitor)}<button>${t('Connect')}</button>
</form>
<p><a href="/">${t('Not now')}</a></p>
`,
      })
    const login = `/login/?${new URLSearchParams({ email: user.deliveryEmail, next: connectPath(key) })}`
    return renderPage({
      heading: t('You already have an account'),
      organization: realm,
      content: html`<p>${rich('<b>{email}</b> belongs to an account at {realm}. To sign in with {provider} from now on, confirm once that the account is yours.', { provider: name, realm: realm.name, email: user.deliveryEmail, b: bold })}</p>
<p><a class="button" href="${login}">${t('Sign in to confirm')}</a></p>
<form method="post" action="${connectPath(key)}email/">
<button class="plain">${t('Email me a link')}</button>
</form>
`,
    })
  },
})

/** A session that was left open proves nothing: a connected account can sign in from then on. */
const hasJustSignedIn = ({ clock }: RealmPageCall, { session }: Visitor): boolean => isRecentLogin(session, clock.now())

const mailOnlyPage = (realm: Realm, provider: IdentitySource, user: User, key: string): HttpResponse =>
  renderPage({
    heading: t('Connect {provider} to your account?', { provider: provider.displayName }),
    organization: realm,
    content: html`<p>${rich('You signed in to {realm} a while ago. Confirm once more that the account <b>{email}</b> is yours.', { realm: realm.name, email: user.deliveryEmail, b: bold })}</p>
<form method="post" action="${connectPath(key)}email/">
<button>${t('Email me a link')}</button>
</form>
<p><a href="/">${t('Not now')}</a></p>
`,
  })

const confirmConnecting = page({
  route: 'POST /accounts/connect/{key}/',
  who: 'user',
  async handle(call, { key }) {
    const found = await findConnecting(call, await findPendingSignIn(call.db, identityKey(call, key)))
    if ('page' in found) return found.page
    const { pending, user, provider } = found
    if (call.visitor.actor.id !== user.id) return expiredPage(call, 'other account')
    if (!hasJustSignedIn(call, call.visitor)) return mailOnlyPage(call.realm, provider, user, key)
    const connected = await call.transaction((tx) => connect(tx, call.realm, provider, pending, user, hashSecret(key)))
    if (!connected) return expiredPage(call, 'connected elsewhere')
    if (pending.goal.kind === 'browser') return redirect(pending.goal.next)
    return signInWith(call, provider, pending.identity, user, pending.goal)
  },
})

/** Connects the identity with the account. Returns false if the key was used or the identity belongs to another one. */
const connect = async (
  tx: Transaction,
  realm: Realm,
  source: IdentitySource,
  { identity }: PendingLink,
  user: User,
  hash: string,
): Promise<boolean> =>
  (await deletePendingSignIn(tx, hash)) && (await connectIdentity(tx, realm, source, identity, user))

/** The limit of links to an address for connecting accounts. */
const MAIL_LIMITS: readonly RateRule[] = [[3600, 5]]

const mailConnecting = page({
  route: 'POST /accounts/connect/{key}/email/',
  who: 'anyone here',
  async handle(call, { key }) {
    const { realm, transaction } = call
    const found = await findConnecting(call, await findPendingSignIn(call.db, identityKey(call, key)))
    if ('page' in found) return found.page
    const { user, provider } = found
    await limitByNetwork(call, 'links to connect accounts', BEGIN_LIMITS)
    if (await mayMail(call, `connections in organization ${realm.id}`, user.deliveryEmail, MAIL_LIMITS)) {
      const data = { userId: user.id, provider: provider.displayName, hash: hashSecret(key) }
      const mail = { realmId: realm.id, recipient: user.deliveryEmail, letter: CONNECT_TEMPLATE, data }
      await transaction((tx) => queueMail(tx, mail))
    }
    return renderPage({
      heading: t('Check your email'),
      organization: realm,
      content: html`<p>${rich('We have sent a link to <b>{email}</b>. Open it in this browser within half an hour.', { email: user.deliveryEmail, b: bold })}</p>
`,
    })
  },
})

/** Returns the waiting sign-in of a link in an email, which works only in the browser in which it began. */
async function findByMail(call: RealmPageCall, mailKey: string) {
  const { db, realm, secret, clock } = call
  const hash = readConnectKey(secret, realm, mailKey)
  const given = { realmId: realm.id, browser: readBrowserKey(call), kind: 'link', now: clock.now() } as const
  const pending = hash === null ? null : await findPendingByHash(db, { ...given, hash })
  const found = await findConnecting(call, pending)
  return 'page' in found ? found : { ...found, hash: hash ?? '' }
}

const showMailedLink = page({
  route: 'GET /accounts/connect_by_email/{key}/',
  who: 'anyone here',
  async handle(call, { key }) {
    const found = await findByMail(call, key)
    if ('page' in found) return found.page
    const [name, account] = [found.provider.displayName, accountOf(found.pending.identity)]
    return renderPage({
      heading: t('Connect {provider} to your account?', { provider: name }),
      organization: call.realm,
      headers: goalHeaders(found.pending.goal),
      content: html`<p>${rich('From then on, <b>{account}</b> at {provider} can sign in to {realm} as {name}.', { account, provider: name, realm: call.realm.name, name: found.user.fullName, b: bold })}</p>
<form method="post" action="/accounts/connect_by_email/${key}/">
<button>${t('Connect and sign in')}</button>
</form>
`,
    })
  },
})

const submitMailedLink = page({
  route: 'POST /accounts/connect_by_email/{key}/',
  who: 'anyone here',
  async handle(call, { key }) {
    const found = await findByMail(call, key)
    if ('page' in found) return found.page
    const { pending, user, provider, hash } = found
    const connected = await call.transaction((tx) => connect(tx, call.realm, provider, pending, user, hash))
    if (!connected) return expiredPage(call, 'connected elsewhere')
    return signInWith(call, provider, pending.identity, user, pending.goal)
  },
})

/** Returns the sign-in of the desktop app, or that of the owner of a new demo organization, which the key continues. */
async function findOwnSignIn({ db, realm, clock }: RealmPageCall, key: string) {
  const given = { realmId: realm.id, browser: '', key, now: clock.now() }
  return (
    (await findPendingSignIn(db, { ...given, kind: 'desktop' })) ??
    (await findPendingSignIn(db, { ...given, kind: 'demo' }))
  )
}

/**
 * Opens the session of the desktop app. An app that did not send its cookie when the sign-in began has to confirm it, so
 * that nobody can sign others in to an account that is not theirs.
 */
const showDesktopSignIn = page({
  route: 'GET /accounts/login/subdomain/{key}',
  who: 'anyone here',
  async handle(call, { key }) {
    const pending = await findOwnSignIn(call, key)
    const user = pending === null ? null : await findUser(call.db, pending.userId)
    if (pending === null || user === null) return expiredPage(call, 'desktop key')
    const browser = readBrowserKey(call)
    const isDemo = pending.kind === 'demo'
    if (!isDemo && browser !== '' && hashSecret(browser) === pending.browser) return signInDesktop(call, key)
    return renderPage({
      heading: t('Sign in as {name}?', { name: user.fullName }),
      organization: call.realm,
      content: html`<p>${
        isDemo
          ? t('Continue only if you have just created this demo organization.')
          : t('Continue only if you have just started to sign in with the desktop app.')
      }</p>
<form method="post" action="/accounts/login/subdomain/${key}">
<button>${t('Sign in')}</button>
</form>
`,
    })
  },
})

const submitDesktopSignIn = page({
  route: 'POST /accounts/login/subdomain/{key}',
  who: 'anyone here',
  handle: (call, { key }) => signInDesktop(call, key),
})

async function signInDesktop(call: RealmPageCall, key: string): Promise<HttpResponse> {
  const pending = await findOwnSignIn(call, key)
  const user = pending === null ? null : await findUser(call.db, pending.userId)
  if (pending === null || user === null) return expiredPage(call, 'desktop key')
  const response = await completeSignIn(call, user, {
    by: pending.kind === 'demo' ? 'setup' : 'desktop app',
    goal: { kind: 'browser', next: '/', isKept: true },
    lock: async (tx) => (await deletePendingSignIn(tx, hashSecret(key))) && lockActiveUser(tx, user.id),
  })
  return response ?? expiredPage(call, 'desktop key')
}

/**
 * Closes all sessions of a person whom the provider has logged out: OpenID Connect Back-Channel Logout 1.0. The provider
 * calls it, not a browser.
 */
const logOutByProvider = page({
  route: 'POST /accounts/logout/social/{provider}/',
  who: 'anyone here',
  acceptsOtherSites: true,
  fields: ['logout_token'],
  async handle(call, { provider: id, logout_token: token }) {
    const { db, realm } = call
    await limitByNetwork(call, 'logouts by other services', BEGIN_LIMITS)
    const provider = await findEnabledProvider(db, realm, id)
    if (provider === null || provider.preset === 'github' || provider.preset === 'saml') return plainAnswer(404)
    const logout = await readLogoutToken(call, provider, token)
    if (isProblem(logout)) {
      logProblem(call, provider, logout, true)
      return plainAnswer(400)
    }
    await closeSessionsOf(call, provider, { ...logout, seconds: 2 * LOGOUT_TOKEN_AGE })
    return plainAnswer(200)
  },
})

/**
 * Closes all sessions of the person whom the provider has logged out. A message with the same id does nothing in the
 * following seconds, and neither does one about a person without an account here.
 */
export async function closeSessionsOf(
  { realm, transaction }: RealmPageCall,
  { id: provider, issuer }: AnyProvider,
  { subject, id, seconds }: { subject: string; id: string; seconds: number },
): Promise<void> {
  await transaction(async (tx) => {
    if (!(await useOnce(tx, realm.id, `logout ${provider} ${id}`, seconds))) return
    const found = await findOwnerOfIdentity(tx.db, realm.id, { provider, issuer, subject, email: null })
    if (found === null) return
    await deleteSessionsOf(tx, found.userId)
    await recordAudit(tx, realm.id, 'logged_out_by_other', { targetId: found.userId })
  })
}

const plainAnswer = (status: number): HttpResponse => ({
  status,
  headers: { 'cache-control': 'no-store', 'content-type': 'text/plain' },
  body: '',
})

/** Writes the problem to the log: of a sign-in, or of a logout. */
export function logProblem(
  { log, realm }: RealmPageCall,
  provider: IdentitySource,
  { problem, detail }: ProviderProblem,
  isLogout = false,
): void {
  const text = isLogout ? 'A logout with another service failed' : 'A sign-in with another service failed'
  log.warn({ realm_id: realm.id, provider: provider.id, problem, detail }, text)
}

/** Returns the page for an answer that belongs to no sign-in of this browser. */
export function expiredPage({ log, realm }: RealmPageCall, reason: string): HttpResponse {
  log.debug({ realm_id: realm.id, reason }, 'A sign-in could not be continued')
  return expiredLinkPage(
    html`<p>${t('The sign-in took too long, was already completed, or began in another browser.')}</p>
<p><a class="button" href="/login/">${t('Start again')}</a></p>
`,
    realm,
  )
}

export const notOfferedPage = (realm: Realm) =>
  renderPage({
    status: 404,
    heading: t('This way to sign in is not offered here'),
    organization: realm,
    content: html`<p><a class="button" href="/login/">${t('See how you can sign in')}</a></p>
`,
  })

/** Returns the page for a person who may not join, or whose account is deactivated. */
export const refusedPage = (realm: Realm, reason: string) =>
  renderPage({
    status: 403,
    heading: t('You cannot sign in to {realm}', { realm: realm.name }),
    organization: realm,
    content: html`<p>${reason}</p>
<p>${rich('Do you have another account? <a>Sign in with it</a>', { a: linkTo('/login/') })}</p>
`,
  })

function unverifiedPage(call: RealmPageCall, provider: IdentitySource): HttpResponse {
  logProblem(call, provider, { problem: 'invalid', detail: 'no verified address' })
  return refusedPage(
    call.realm,
    t(
      '{provider} did not confirm your email address. Verify your address there, and sign in again. If it is verified, ask an administrator of the organization to check the settings of this sign-in.',
      { provider: provider.displayName },
    ),
  )
}

const problemTexts: Record<ProviderProblem['problem'], (provider: string) => string> = {
  unreachable: (provider) =>
    t('{provider} does not respond. Try again in a few minutes, or sign in in another way.', { provider }),
  cancelled: (provider) => t('You stopped the sign-in at {provider}.', { provider }),
  refused: (provider) =>
    t('{provider} refused the sign-in. If this happens again, ask an administrator to check its settings.', {
      provider,
    }),
  invalid: (provider) =>
    t('The answer of {provider} could not be verified. Try again. If this happens again, ask an administrator.', {
      provider,
    }),
}

export function problemPage(
  call: RealmPageCall,
  provider: AnyProvider,
  problem: ProviderProblem,
  { goal, isTest }: { goal: SignInGoal; isTest: boolean },
): HttpResponse {
  logProblem(call, provider, problem)
  const again = `/login/?${new URLSearchParams(goalParameters(goal))}`
  return renderPage({
    status: problem.problem === 'cancelled' ? 200 : 502,
    heading: t('Signing in did not work'),
    organization: call.realm,
    content: html`<p>${problemTexts[problem.problem](provider.displayName)}</p>
${isTest && html`<p>${t('Detail for administrators: {detail}', { detail: problem.detail })}</p>\n`}<p><a class="button" href="${again}">${t('Back to sign-in')}</a></p>
`,
  })
}

/** Shows an owner who tests the provider what it sent, and what would follow. */
export async function reportPage(
  call: RealmPageCall,
  provider: AnyProvider,
  identity: ExternalIdentity,
): Promise<HttpResponse> {
  const { db, realm, clock } = call
  const arrival = await findArrival(db, realm, identity, null, clock.now())
  const row = (term: string, value: string): Html => html`<dt>${term}</dt><dd>${value}</dd>\n`
  return renderPage({
    heading: t('{provider} works', { provider: provider.displayName }),
    organization: realm,
    content: html`<p>${t('This is what the provider sent about you. You were not signed in.')}</p>
<dl>
${row(t('ID'), identity.subject)}${row(t('Verified email address'), identity.email ?? t('None'))}${row(t('Name'), identity.name || t('None'))}${row(t('Groups'), identity.groups?.join(', ') || t('None'))}${row(t('Result of a sign-in'), arrivalTexts[arrival.kind])}</dl>
<p><a class="button" href="${`/accounts/login/social/${provider.id}?next=/`}">${t('Connect it to your account')}</a></p>
`,
  })
}

const arrivalTexts = {
  known: t('The account is connected and would be signed in.'),
  unverified: t('Nobody could sign in, because the address is not marked as verified.'),
  'to confirm': t('The owner of the account with which it was connected would be asked to connect it again.'),
  'same address': t('The owner of the account with this address would be asked to connect it.'),
  new: t('A new account would be created.'),
  'not invited': t('The person would need an invitation.'),
}

export const externalSignInPages = [
  beginSignIn,
  beginSignUp,
  complete,
  completeByForm,
  showConnecting,
  confirmConnecting,
  mailConnecting,
  showMailedLink,
  submitMailedLink,
  showDesktopSignIn,
  submitDesktopSignIn,
  logOutByProvider,
]
