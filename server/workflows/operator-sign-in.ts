import { emailNotAllowed, emailTaken } from '#accounts/change-email.ts'
import { nameNotUnique } from '#accounts/change-users.ts'
import { completeSignIn, goalHeaders, readSignInGoal } from '#accounts/sign-in.ts'
import type { HttpResponse } from '#http/http-types.ts'
import { redirect, renderPage } from '#http/page-html.ts'
import { addressWithQuery, page, type RealmPageCall } from '#http/pages.ts'
import { limitByNetwork, networkOf } from '#http/rate-limits.ts'
import { catchRefusal } from '#http/refusals.ts'
import { saveExternalIdentity } from '#identity/external-identities.ts'
import { TOKENS, type TokenProof, tokenRefusals, useToken, verifyToken } from '#identity/jwt.ts'
import {
  deletePendingSignIn,
  findPendingSignIn,
  newBrowserKey,
  readBrowserKey,
  type SignInGoal,
  savePendingSignIn,
} from '#identity/pending-sign-ins.ts'
import { findSignInMethods, type Mappings } from '#identity/providers.ts'
import { findProxy, type NamedPerson, PROXY, type ProxyProblem, readProxyPerson } from '#identity/proxy.ts'
import { findInvitationStatus, findUsableInvitation } from '#invitations/invitation-status.ts'
import { Refusal } from '#lib/errors.ts'
import { html } from '#lib/html.ts'
import { hashSecret } from '#lib/secrets.ts'
import { signInPresets } from '#lib/sign-in-file.ts'
import { linkTo, rich, t } from '#lib/text.ts'
import { noLicensesLeft } from '#people/creation-limits.ts'
import { findUserByDeliveryEmail, lockActiveUser } from '#people/user-queries.ts'
import { realmAddress } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { domainNotAllowed, invitationNotValid } from './accept-invitation.ts'
import { applyGroups, createFromIdentity } from './external-sign-in.ts'
import { BEGIN_LIMITS, desktopAppPage, expiredPage, notOfferedPage, refusedPage } from './external-sign-in-pages.ts'
import { invitationRequired } from './sign-up.ts'

// Sign-ins on the word of the operator: of a reverse proxy, or of a program with a JSON Web Token. They name an address,
// and the account with this address is signed in, as in the reference server. No confirmation is asked for, because the
// operator could read and change everything anyway.

/** How the operator signs people in. */
type OperatorMethod = Mappings & { id: string; issuer: string; by: string; createsAccounts: boolean }

/**
 * Signs in to the account with the address, or creates it under the rules of the organization. `useProof` uses up the
 * proof in the transaction of the sign-in, and returns whether it was still good.
 */
async function signInByAddress(
  call: RealmPageCall,
  method: OperatorMethod,
  { email, name, groups }: NamedPerson,
  {
    goal,
    invitation: key,
    useProof,
  }: { goal: SignInGoal; invitation: string; useProof(tx: Transaction): Promise<boolean> },
): Promise<HttpResponse> {
  const { db, realm, secret, clock, transaction } = call
  const identity = {
    ...{ provider: method.id, issuer: method.issuer, subject: email.toLowerCase() },
    ...{ email, name, picture: null, groups },
  }
  let user = await findUserByDeliveryEmail(db, realm.id, email)
  if (user === null) {
    if (!method.createsAccounts)
      return refusedPage(realm, t('There is no account with the address {email}.', { email }))
    const status = key === '' ? null : await findInvitationStatus(db, realm, key, secret, clock.now())
    const given = status?.state === 'pending' ? status.invitation : null
    const invitation = given ?? (await findUsableInvitation(db, realm, email, clock.now()))
    if (invitation === null && realm.settings.invite_required) return refusedPage(realm, invitationRequired().message)
    const joined = await catchRefusal(() =>
      transaction((tx) => createFromIdentity(tx, realm, method, identity, { email, invitation, picture: null })),
    )
    if (joined instanceof Refusal) {
      if (!JOINING_REFUSALS.some((kind) => kind === joined.kind)) throw joined
      return refusedPage(realm, joined.message)
    }
    user = joined
  }
  const { id } = user
  const response = await completeSignIn(call, user, {
    by: method.by,
    goal,
    async lock(tx) {
      if (!(await useProof(tx)) || !(await lockActiveUser(tx, id))) return false
      const current = await findUserByDeliveryEmail(tx.db, realm.id, email)
      if (current?.id !== id) return false
      // This says that the method works for them; it is not how they are found.
      await saveExternalIdentity(tx, current, identity)
      await applyGroups(tx, realm, method, current, identity)
      return true
    },
  })
  return response ?? refusedPage(realm, t('Your account is deactivated, or the sign-in was already completed.'))
}

const JOINING_REFUSALS = [
  ...[emailNotAllowed, emailTaken, nameNotUnique, noLicensesLeft],
  ...[domainNotAllowed, invitationNotValid, invitationRequired],
]

const goalOf = ({ query }: RealmPageCall) => readSignInGoal(query, true)

/** Returns the proxy of the organization if people can sign in by it. */
async function findEnabledProxy({ db, realm }: RealmPageCall) {
  const { external } = await findSignInMethods(db, realm)
  return external.some(({ id, isEnabled }) => id === PROXY.id && isEnabled) ? findProxy(db, realm) : null
}

/**
 * Begins a sign-in by the proxy. It is a page of its own because the proxy may answer the next one itself, to sign the
 * person in there.
 */
const beginProxySignIn = page({
  route: 'GET /accounts/login/start/sso/',
  who: 'anyone here',
  async handle(call) {
    const { query, realm, settings, random, userAgent } = call
    const proxy = await findEnabledProxy(call)
    if (proxy === null) return notOfferedPage(realm)
    const { url } = realmAddress(realm.subdomain, settings.EXTERNAL_URL)
    if (call.host !== new URL(url).host) return redirect(url + addressWithQuery(call))
    const goal = goalOf(call)
    if (/\bZulipElectron\//.test(userAgent) && goal.kind !== 'desktop') {
      const displayName = proxy.name ?? signInPresets.openid.name
      return desktopAppPage(call, { id: PROXY.id, displayName }, readBrowserKey(call) || newBrowserKey(random))
    }
    return redirect(addressWithQuery({ path: '/accounts/login/sso/', query }))
  },
})

const signInByProxy = page({
  route: 'GET /accounts/login/sso/',
  who: 'anyone here',
  async handle(call) {
    const { realm, query } = call
    const proxy = await findEnabledProxy(call)
    if (proxy === null) return notOfferedPage(realm)
    await limitByNetwork(call, 'sign-ins by a proxy', BEGIN_LIMITS)
    const goal = goalOf(call)
    const person = readProxyPerson(proxy, call)
    if ('problem' in person) return proxyProblemPage(call, person)
    const displayName = proxy.name ?? signInPresets.openid.name
    const method = { ...proxy, ...PROXY, displayName, by: 'proxy', isOwners: false }
    const invitation = query.get('invitation') ?? ''
    return signInByAddress(call, method, person, { goal, invitation, useProof: async () => true })
  },
})

function proxyProblemPage(call: RealmPageCall, { problem }: ProxyProblem): HttpResponse {
  const { log, securityLines, realm, peerAddress, remoteAddress } = call
  if (securityLines.take('proxy_sign_in_failed', networkOf(remoteAddress)) !== null)
    log.warn(
      { realm_id: realm.id, provider: PROXY.id, problem, from: peerAddress },
      'A sign-in with another service failed',
    )
  return renderPage({
    status: 403,
    heading: t('Signing in did not work'),
    organization: realm,
    content: html`<p>${t('The single sign-on of your organization did not send your name to this server. If this happens again, ask the operator of the server to check its settings.')}</p>
<p><a class="button" href="/login/">${t('Back to sign-in')}</a></p>
`,
  })
}

const JWT = { ...TOKENS, displayName: 'JSON Web Token', by: 'jwt', isOwners: false } as const

/**
 * Signs in with a token that a program sends by a form of its own page. A form can come from anywhere, also with a token
 * of its sender. So people confirm who they are about to be, unless the operator has named the origin of the page.
 */
const signInByToken = page({
  route: 'POST /accounts/login/jwt/',
  who: 'anyone here',
  acceptsOtherSites: true,
  fields: ['token', 'next', 'mobile_flow_otp', 'desktop_flow_otp', 'desktop_browser'],
  async handle(call, { token, ...fields }) {
    const { realm, query, headers, transaction } = call
    const proof = await catchRefusal(() => verifyToken(call, realm, token.trim()))
    if (proof instanceof Refusal) {
      if (!tokenRefusals.some((kind) => kind === proof.kind)) throw proof
      return tokenProblemPage(call)
    }
    const goal = readSignInGoal(
      new Map([...query, ...Object.entries(fields).filter(([, value]) => value !== '')]),
      true,
    )
    if (proof.settings.origins.includes(headers.origin ?? ''))
      return signInWithProof(call, proof, proof.settings.createsAccounts, goal, (tx) => useToken(tx, realm, proof))
    const { email, name } = proof
    const { createsAccounts } = proof.settings
    const key = await transaction(async (tx) =>
      (await useToken(tx, realm, proof))
        ? savePendingSignIn(tx, realm.id, '', { kind: 'token', email, name, createsAccounts, goal })
        : null,
    )
    if (key === null) return tokenProblemPage(call)
    return renderPage({
      heading: t('Sign in to {realm}?', { realm: realm.name }),
      organization: realm,
      headers: goalHeaders(goal),
      content: html`<p>${t('You will be signed in as {email}. Continue only if this is your address.', { email })}</p>
<form method="post" action="/accounts/login/jwt/confirm/">
<input type="hidden" name="key" value="${key}">
<button>${t('Sign in')}</button>
</form>
<p>${rich('Not your address? <a>Sign in in another way</a>', { a: linkTo('/login/') })}</p>
`,
    })
  },
})

const confirmToken = page({
  route: 'POST /accounts/login/jwt/confirm/',
  who: 'anyone here',
  fields: ['key'],
  async handle(call, { key }) {
    const { db, realm, clock } = call
    const pending = await findPendingSignIn(db, {
      realmId: realm.id,
      browser: '',
      kind: 'token',
      key,
      now: clock.now(),
    })
    if (pending === null) return expiredPage(call, 'token')
    return signInWithProof(call, pending, pending.createsAccounts, pending.goal, (tx) =>
      deletePendingSignIn(tx, hashSecret(key)),
    )
  },
})

function signInWithProof(
  call: RealmPageCall,
  { email, name }: Pick<TokenProof, 'email' | 'name'>,
  createsAccounts: boolean,
  goal: SignInGoal,
  useProof: (tx: Transaction) => Promise<boolean>,
): Promise<HttpResponse> {
  const method = { ...JWT, createsAccounts }
  return signInByAddress(call, method, { email, name, groups: null }, { goal, invitation: '', useProof })
}

const tokenProblemPage = ({ realm }: RealmPageCall): HttpResponse =>
  renderPage({
    status: 400,
    heading: t('Signing in did not work'),
    organization: realm,
    content: html`<p>${t('The sign-in has expired, was already used, or is not valid here. Go back and start again. If this happens again, ask the operator of the server.')}</p>
<p>${rich('You can also <a>sign in in another way</a>.', { a: linkTo('/login/') })}</p>
`,
  })

export const operatorSignInPages = [beginProxySignIn, signInByProxy, signInByToken, confirmToken]
