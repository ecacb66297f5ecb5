import type { HttpResponse } from '#http/http-types.ts'
import { redirect, renderPage } from '#http/page-html.ts'
import { localPath, page, type RealmPageCall, withCookies } from '#http/pages.ts'
import { limitByNetwork } from '#http/rate-limits.ts'
import { isProblem } from '#identity/openid.ts'
import {
  deletePendingSignIn,
  findPendingSignIn,
  newBrowserKey,
  readBrowserKey,
  readSamlSession,
  samlSessionCookie,
  savePendingSignIn,
  useOnce,
} from '#identity/pending-sign-ins.ts'
import { findEnabledProvider, findSamlProviders, signInPath } from '#identity/providers.ts'
import {
  beginSamlLogout,
  findLogoutProblem,
  type LogoutMessage,
  logoutAnswer,
  readAnswer,
  readLogoutIssuer,
  readLogoutRequest,
  readUnrequestedIssuer,
  requestIdOf,
  serviceMetadata,
} from '#identity/saml.ts'
import { html } from '#lib/html.ts'
import { hashSecret } from '#lib/secrets.ts'
import { t } from '#lib/text.ts'
import { realmAddress } from '#realms/realm.ts'
import {
  arrive,
  BEGIN_LIMITS,
  closeSessionsOf,
  expiredPage,
  logProblem,
  notOfferedPage,
  problemPage,
  reportPage,
  serviceOf,
} from './external-sign-in-pages.ts'

// The pages to which identity providers of SAML send the browser back, and the metadata of an organization for them. A
// sign-in begins, and ends, like one with any other provider (external-sign-in-pages.ts). Logouts of identity providers
// arrive at the same address, as in the reference server.

/**
 * Identity providers of SAML answer with a form of their site, to which browsers add no cookies of this one. So the
 * answer is checked here, and counts once, but the browser continues with the next page, which knows it.
 */
const completeSaml = page({
  route: 'POST /complete/saml/',
  who: 'anyone here',
  acceptsOtherSites: true,
  fields: ['SAMLResponse', 'SAMLRequest', 'RelayState'],
  async handle(call, { SAMLResponse: encoded, SAMLRequest, RelayState: state }) {
    const { db, realm, clock, transaction } = call
    if (SAMLRequest !== '') return logOut(call, { encoded: SAMLRequest, relayState: state })
    await limitByNetwork(call, 'answers of identity providers', BEGIN_LIMITS)
    const given = { realmId: realm.id, browser: null, kind: 'provider', key: state, now: clock.now() } as const
    const pending = await findPendingSignIn(db, given)
    if (pending === null) {
      const wasSent = (await findPendingSignIn(db, { ...given, kind: 'logout' })) !== null
      return wasSent ? endLogout(call, state, { encoded, relayState: state }) : beginAtProvider(call, encoded, state)
    }
    const provider = findSamlProviders(db, realm).find(({ id }) => id === pending.provider)
    if (provider?.issuer !== pending.issuer) return expiredPage(call, 'other issuer')
    const answer = { encoded, requestId: requestIdOf(pending.nonce) }
    const proof = await readAnswer(call, provider, serviceOf(call), answer)
    if (isProblem(proof)) return problemPage(call, provider, proof, pending)
    const { assertionId, expiresAt, identity, session } = proof
    const key = await transaction(async (tx) => {
      const isFirst = await useOnce(tx, realm.id, `assertion ${provider.issuer} ${assertionId}`, expiresAt - tx.now)
      return isFirst
        ? savePendingSignIn(tx, realm.id, '', { kind: 'answer', state: hashSecret(state), identity, session })
        : null
    })
    if (key === null) return expiredPage(call, 'assertion was used')
    return redirect(`/complete/saml/?${new URLSearchParams({ state, answer: key })}`)
  },
})

/**
 * Answers a sign-in that began at an identity provider by a request to it. Nothing in the first answer counts, so that
 * nobody can sign others in to an account that is not theirs; the person is signed in there and does not notice.
 */
async function beginAtProvider(call: RealmPageCall, encoded: string, state: string): Promise<HttpResponse> {
  const { db, realm, settings } = call
  const allowed = findSamlProviders(db, realm).filter(({ isIdpInitiated }) => isIdpInitiated)
  const issuer = allowed.length === 0 ? null : readUnrequestedIssuer(encoded)
  const provider = allowed.find((one) => one.issuer === issuer)
  if (provider === undefined) return expiredPage(call, 'no request')
  const { url } = realmAddress(realm.subdomain, settings.EXTERNAL_URL)
  const next = localPath(state.startsWith(`${url}/`) ? state.slice(url.length) : state)
  return redirect(`${signInPath(provider.id)}?${new URLSearchParams({ next })}`)
}

/** The maximum length of what browsers keep of a session at an identity provider. */
const MAX_SESSION_LENGTH = 1000

const continueSaml = page({
  route: 'GET /complete/saml/',
  who: 'anyone here',
  async handle(call) {
    const { db, realm, query, clock } = call
    if (query.has('SAMLRequest')) return logOut(call, { query: call.rawQuery })
    if (query.has('SAMLResponse')) return endLogout(call, query.get('RelayState') ?? '', { query: call.rawQuery })
    const [state, key] = [query.get('state') ?? '', query.get('answer') ?? '']
    const here = { realmId: realm.id, now: clock.now() }
    const pending = await findPendingSignIn(db, {
      ...{ ...here, kind: 'provider', key: state },
      browser: readBrowserKey(call),
    })
    const answer = await findPendingSignIn(db, { ...here, browser: '', kind: 'answer', key })
    if (pending === null || answer?.state !== hashSecret(state)) return expiredPage(call, 'unknown state')
    const isFirst = await call.transaction(
      async (tx) => (await deletePendingSignIn(tx, hashSecret(state))) && deletePendingSignIn(tx, hashSecret(key)),
    )
    if (!isFirst) return expiredPage(call, 'used')
    const { identity, session } = answer
    const provider = pending.isTest
      ? findSamlProviders(db, realm).find(({ id }) => id === pending.provider)
      : await findEnabledProvider(db, realm, pending.provider)
    if (provider === undefined || provider === null) return notOfferedPage(realm)
    if (provider.issuer !== identity.issuer || provider.id !== identity.provider)
      return expiredPage(call, 'other issuer')
    if (pending.isTest) return reportPage(call, provider, identity)
    const response = await arrive(call, provider, identity, pending)
    const isKept = provider.preset === 'saml' && provider.isLogoutSent && pending.goal.kind === 'browser'
    if (!isKept || JSON.stringify(session).length > MAX_SESSION_LENGTH) return response
    const { id, issuer } = provider
    const cookie = samlSessionCookie(call, { provider: id, issuer, subject: identity.subject, session })
    return withCookies(response, [cookie])
  },
})

/**
 * Closes all sessions of a person whom an identity provider has logged out, and answers it if it can. The signature of
 * the provider is the proof; the session of the browser that brings the message means nothing.
 */
async function logOut(call: RealmPageCall, message: LogoutMessage): Promise<HttpResponse> {
  const { db, realm, clock, random } = call
  await limitByNetwork(call, 'logouts by other services', BEGIN_LIMITS)
  const issuer = readLogoutIssuer(message)
  const declared = findSamlProviders(db, realm).find((one) => one.issuer === issuer)
  const provider = declared === undefined ? null : await findEnabledProvider(db, realm, declared.id)
  if (provider?.preset !== 'saml') return notOfferedPage(realm)
  const here = serviceOf(call)
  const logout = await readLogoutRequest(call, provider, here, message)
  if (isProblem(logout)) {
    logProblem(call, provider, logout, true)
    return renderPage({
      status: 400,
      heading: t('Signing out did not work'),
      organization: realm,
      content: html`<p>${t('The message of {provider} could not be verified. If you are still signed in here, sign out in the menu of your account.', { provider: provider.displayName })}</p>
<p><a class="button" href="/">${t('Continue')}</a></p>
`,
    })
  }
  const { subject, requestId, relayState, expiresAt } = logout
  await closeSessionsOf(call, provider, { subject, id: requestId, seconds: expiresAt - clock.now() })
  const address = await logoutAnswer(call, provider, here, { requestId, relayState, nonce: newBrowserKey(random) })
  if (address !== null) return redirect(address)
  return renderPage({
    heading: t('You are signed out'),
    organization: realm,
    content: html`<p>${t('{provider} has signed you out in all browsers.', { provider: provider.displayName })}</p>
<p><a class="button" href="/login/">${t('Sign in again')}</a></p>
`,
  })
}

/**
 * Signs the browser out at the identity provider with which it signed in, if the operator wants that; the client opens it
 * after it has ended the session here. Otherwise, it shows the sign-in page.
 */
const logOutAtProvider = page({
  route: 'GET /logout/',
  who: 'anyone here',
  async handle(call) {
    const { db, realm, visitor, random, transaction } = call
    if (visitor !== null) return redirect('/')
    const kept = readSamlSession(call)
    if (kept === null) return redirect('/login/')
    await limitByNetwork(call, 'sign-ins with other services', BEGIN_LIMITS)
    const cookie = { 'set-cookie': samlSessionCookie(call, null) }
    const provider = await findEnabledProvider(db, realm, kept.provider)
    if (provider?.preset !== 'saml' || !provider.isLogoutSent || provider.issuer !== kept.issuer)
      return redirect('/login/', cookie)
    const [nonce, { id, issuer }] = [newBrowserKey(random), provider]
    const pending = { kind: 'logout', provider: id, issuer, nonce } as const
    const state = await transaction((tx) => savePendingSignIn(tx, realm.id, '', pending))
    const address = await beginSamlLogout(call, provider, serviceOf(call), { session: kept.session, nonce, state })
    if (!isProblem(address)) return redirect(address, cookie)
    logProblem(call, provider, address, true)
    return redirect(SIGNED_IN_THERE, cookie)
  },
})

/** The sign-in page with a notice that the person may still be signed in at the identity provider. */
const SIGNED_IN_THERE = '/login/?logged_out=here'

/** Shows the sign-in page after a logout at the identity provider. The session here ended before. */
async function endLogout(call: RealmPageCall, state: string, message: LogoutMessage): Promise<HttpResponse> {
  const { db, realm, clock, transaction } = call
  await limitByNetwork(call, 'answers of identity providers', BEGIN_LIMITS)
  const given = { realmId: realm.id, browser: '', kind: 'logout', key: state, now: clock.now() } as const
  const pending = await findPendingSignIn(db, given)
  const isFirst = pending !== null && (await transaction((tx) => deletePendingSignIn(tx, hashSecret(state))))
  const provider = findSamlProviders(db, realm).find(({ id }) => id === pending?.provider)
  if (!isFirst || provider?.issuer !== pending.issuer) return redirect('/login/')
  const requestId = requestIdOf(pending.nonce)
  const problem = await findLogoutProblem(call, provider, serviceOf(call), { message, requestId })
  if (problem === null) return redirect('/login/?logged_out')
  logProblem(call, provider, problem, true)
  return redirect(SIGNED_IN_THERE)
}

/** The metadata of this organization for identity providers. */
const showSamlMetadata = page({
  route: 'GET /saml/metadata.xml',
  who: 'anyone here',
  async handle(call) {
    const providers = findSamlProviders(call.db, call.realm)
    if (providers.length === 0) return notOfferedPage(call.realm)
    return {
      status: 200,
      headers: { 'content-type': 'application/samlmetadata+xml', 'cache-control': 'no-store' },
      body: await serviceMetadata(providers, serviceOf(call)),
    }
  },
})

export const samlPages = [completeSaml, continueSaml, logOutAtProvider, showSamlMetadata]
