import { inflateRawSync } from 'node:zlib'
import type { Clock } from '#lib/clock.ts'
import { guardedFetch, Unreachable } from '#lib/guarded-fetch.ts'
import { readSamlMetadata, type SamlMetadata } from '#lib/saml-metadata.ts'
import { allElements, readXml, type XmlElement } from '#lib/xml.ts'
import { isProblem, type ProviderProblem } from './openid.ts'
import type { ExternalIdentity, SamlSession } from './pending-sign-ins.ts'
import type { SamlProvider } from './providers.ts'

// Sign-in and logout with SAML 2.0. The package @node-saml/node-saml checks signatures and the audience; this file checks
// the rest, by the clock of the server and in what was signed: issuer, recipient, request, times. Before a signature is
// looked at, the document must have the only shape that is needed: one assertion directly in the response, unique ids,
// and signatures of strong algorithms where they belong, so that nothing can be wrapped around a signed part. Encrypted
// assertions are not supported. Nothing of an answer is logged but the kind of the problem.

/** This server as identity providers of an organization know it. */
export type ServiceProvider = {
  /** The entity ID. */
  entityId: string
  /** The address to which browsers bring answers and logouts. */
  answerUrl: string
}

/** A person whom an identity provider has named. The assertion may count only once until `expiresAt`. */
export type Proof = { identity: ExternalIdentity; session: SamlSession; assertionId: string; expiresAt: number }

/** Seconds by which the clocks of the identity provider and this server may differ. */
const CLOCK_TOLERANCE = 60

/** Seconds for which an assertion counts at most, however long it says. */
const MAX_LIFETIME = 3600

/** The maximum number of tags and attributes of an answer. */
const MAX_PARTS = 4000

/** The maximum length of a message that was sent in an address, once it is inflated, in bytes. */
const MAX_INFLATED = 65_536

const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion'
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#'
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success'
const CANCELLED = ['urn:oasis:names:tc:SAML:2.0:status:AuthnFailed', 'urn:oasis:names:tc:SAML:2.0:status:NoPassive']
const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
const UNSPECIFIED_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified'
const TRANSIENT_FORMAT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'

/** The algorithms of signatures and digests that count. */
const ALGORITHMS: Readonly<Record<string, readonly string[]>> = {
  SignatureMethod: [
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
    'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
  ],
  DigestMethod: ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512'],
}

/** The package is loaded with the first sign-in that needs it. */
async function load(
  { signOnUrl, logoutUrl, certificates, signing }: SamlProvider,
  here: ServiceProvider,
  changes: object = {},
) {
  const { SAML } = await import('@node-saml/node-saml')
  return new SAML({
    issuer: here.entityId,
    callbackUrl: here.answerUrl,
    entryPoint: signOnUrl,
    logoutUrl,
    idpCert: [...certificates],
    audience: here.entityId,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    // The identity provider decides how people sign in and are named.
    disableRequestedAuthnContext: true,
    identifierFormat: null,
    // The package has a clock of its own, so this file checks the times.
    acceptedClockSkewMs: -1,
    ...(signing !== null && { privateKey: signing.key, signatureAlgorithm: 'sha256' as const }),
    ...changes,
  })
}

/** Returns the id of the request of a sign-in. */
export const requestIdOf = (nonce: string): string => `_${nonce}`

/** Seconds for which fetched metadata are used again. */
const METADATA_LIFETIME = 300

/** The time limit for fetching metadata, in seconds. */
const TIME_LIMIT = 8

const fetched = new Map<string, { metadata: SamlMetadata; at: number }>()

/**
 * Returns the provider with its metadata, which are fetched if they have an address. While they cannot be fetched, those
 * from before count.
 */
async function withMetadata(clock: Clock, provider: SamlProvider): Promise<SamlProvider | ProviderProblem> {
  const { metadataUrl: url, issuer } = provider
  if (url === null) return provider
  const described = (metadata: SamlMetadata) => ({
    ...provider,
    ...metadata,
    logoutUrl: provider.logoutUrl || metadata.logoutUrl,
    logoutAnswerUrl: provider.logoutAnswerUrl || metadata.logoutAnswerUrl,
  })
  const now = clock.now()
  const key = `${url} ${issuer}`
  const known = fetched.get(key)
  const isRecent = known !== undefined && now - known.at < METADATA_LIFETIME && now >= known.at
  const metadata = isRecent ? known.metadata : await fetchMetadata(url, issuer)
  if (!isProblem(metadata)) {
    if (!isRecent) fetched.set(key, { metadata, at: now })
    return described(metadata)
  }
  if (known === undefined) return metadata
  fetched.set(key, { ...known, at: now })
  return described(known.metadata)
}

async function fetchMetadata(url: string, issuer: string): Promise<SamlMetadata | ProviderProblem> {
  const headers = { accept: 'application/samlmetadata+xml, application/xml, text/xml' }
  const options = { timeLimit: TIME_LIMIT, privateHosts: ['*'], signal: new AbortController().signal }
  try {
    const response = await guardedFetch(url, { method: 'GET', headers }, options)
    const metadata = response.ok ? readSamlMetadata(await response.text()).get(issuer) : undefined
    const isUsable = metadata !== undefined && URL.canParse(metadata.signOnUrl) && metadata.certificates.length > 0
    return isUsable ? metadata : { problem: 'invalid', detail: 'metadata' }
  } catch (error) {
    if (error instanceof Unreachable) return { problem: 'unreachable', detail: error.kind }
    throw error
  }
}

/**
 * Returns the address of the identity provider to which the browser goes, or the problem. `state` comes back with the
 * answer.
 */
export async function beginSaml(
  { clock }: { clock: Clock },
  declared: SamlProvider,
  here: ServiceProvider,
  { nonce, state }: { nonce: string; state: string },
): Promise<string | ProviderProblem> {
  const provider = await withMetadata(clock, declared)
  if (isProblem(provider)) return provider
  const saml = await load(provider, here, { generateUniqueId: () => requestIdOf(nonce) })
  return saml.getAuthorizeUrlAsync(state, undefined, {})
}

/** Returns the metadata of this server for identity providers. */
export async function serviceMetadata(providers: readonly SamlProvider[], here: ServiceProvider): Promise<string> {
  const { generateServiceProviderMetadata } = await import('@node-saml/node-saml')
  const signing = providers.flatMap((provider) => provider.signing ?? [])
  return generateServiceProviderMetadata({
    issuer: here.entityId,
    callbackUrl: here.answerUrl,
    identifierFormat: null,
    wantAssertionsSigned: true,
    // It is not signed, so that it needs no id that differs each time.
    generateUniqueId: () => '_metadata',
    // Without a key, the answers that identity providers wait for cannot be signed.
    ...(signing[0] !== undefined && {
      logoutCallbackUrl: here.answerUrl,
      privateKey: signing[0].key,
      publicCerts: [...new Set(signing.map(({ certificate }) => certificate))],
    }),
  })
}

const is = (element: XmlElement, namespace: string, name: string) =>
  element.name === name && element.namespace === namespace

const childrenOf = ({ children }: XmlElement, name: string, namespace = ASSERTION) =>
  children.filter((child) => is(child, namespace, name))

/** Returns the only child with this name; null if there is none or several. */
function childOf(element: XmlElement, name: string, namespace = ASSERTION): XmlElement | null {
  const [first, ...more] = childrenOf(element, name, namespace)
  return first === undefined || more.length > 0 ? null : first
}

const textOf = (element: XmlElement | null) => element?.text.trim() ?? ''

/** Returns the message with this name in what a browser brought; null if it is none. */
function readMessage(xml: string, name: 'Response' | keyof typeof LOGOUTS): XmlElement | null {
  // Comments and CDATA sections would be read in different ways; no identity provider sends them.
  if (xml.includes('<!') || /<\?(?!xml )/.test(xml) || (xml.match(/[<=]/g)?.length ?? 0) > MAX_PARTS) return null
  const message = readXml(xml)
  return message !== null && is(message, PROTOCOL, name) ? message : null
}

function readResponse(encoded: string): { xml: string; response: XmlElement } | null {
  const xml = Buffer.from(encoded, 'base64').toString('utf8')
  const response = readMessage(xml, 'Response')
  return response === null ? null : { xml, response }
}

/**
 * Returns the entity ID that an answer without a request names, which proves nothing; null if the answer names none or
 * belongs to a request.
 */
export function readUnrequestedIssuer(encoded: string): string | null {
  const response = readResponse(encoded)?.response
  if (response === undefined || response.attributes.has('InResponseTo')) return null
  return (
    textOf(childOf(response, 'Issuer')) || textOf(childOf(childOf(response, 'Assertion') ?? response, 'Issuer')) || null
  )
}

/** Returns whom the answer names, or the problem. `requestId` is the request to which it must be the answer. */
export async function readAnswer(
  { clock }: { clock: Clock },
  declared: SamlProvider,
  here: ServiceProvider,
  { encoded, requestId }: { encoded: string; requestId: string },
): Promise<Proof | ProviderProblem> {
  const provider = await withMetadata(clock, declared)
  if (isProblem(provider)) return provider
  const invalid = (detail: string): ProviderProblem => ({ problem: 'invalid', detail })
  const read = readResponse(encoded)
  if (read === null) return invalid('no response')
  const { response } = read
  const failure = readFailure(response)
  if (failure !== null) return failure
  const flaw = findFlaw(response)
  if (flaw !== null) return invalid(flaw)
  const destination = response.attributes.get('Destination')
  if (destination !== undefined && destination !== here.answerUrl) return invalid('other destination')
  if (response.attributes.get('InResponseTo') !== requestId) return invalid('other request')

  const saml = await load(provider, here, { wantAuthnResponseSigned: isSigned(response) })
  const { profile } = await saml
    .validatePostResponseAsync({ SAMLResponse: Buffer.from(read.xml).toString('base64') })
    .catch(() => ({ profile: null }))
  // Only what was signed counts from here on.
  const assertion = readXml(profile?.getAssertionXml?.() ?? '')
  if (assertion === null || !is(assertion, ASSERTION, 'Assertion')) return invalid('signature or audience')
  for (const issuer of [assertion, response].flatMap((element) => childrenOf(element, 'Issuer')))
    if (textOf(issuer) !== provider.issuer) return invalid('other issuer')
  if (childOf(assertion, 'Issuer') === null) return invalid('no issuer')
  const assertionId = assertion.attributes.get('ID') ?? ''
  const now = clock.now()
  const expiresAt = findExpiry(assertion, here, { requestId, now })
  if (typeof expiresAt === 'string') return invalid(expiresAt)
  const identity = readIdentity(provider, assertion)
  return typeof identity === 'string'
    ? invalid(identity)
    : { identity, session: readSession(assertion), assertionId, expiresAt }
}

/** Returns what the identity provider has to know at a logout, of a checked assertion. */
function readSession(assertion: XmlElement): SamlSession {
  const nameId = childOf(childOf(assertion, 'Subject') ?? assertion, 'NameID')
  const [statement] = childrenOf(assertion, 'AuthnStatement')
  return {
    nameId: textOf(nameId),
    format: nameId?.attributes.get('Format') ?? UNSPECIFIED_FORMAT,
    index: statement?.attributes.get('SessionIndex') ?? null,
  }
}

const isSigned = (element: XmlElement) => childrenOf(element, 'Signature', SIGNATURE).length > 0

/** Returns the problem that the identity provider itself reports; null if it reports success. */
function readFailure(response: XmlElement): ProviderProblem | null {
  const status = childOf(response, 'Status', PROTOCOL)
  const code = status === null ? null : childOf(status, 'StatusCode', PROTOCOL)
  const value = code?.attributes.get('Value')
  if (code === null || value === undefined) return { problem: 'invalid', detail: 'no status' }
  if (value === SUCCESS) return null
  const second = childOf(code, 'StatusCode', PROTOCOL)?.attributes.get('Value') ?? value
  const detail = second
    .slice(second.lastIndexOf(':') + 1)
    .replace(/\W/g, '')
    .slice(0, 80)
  return { problem: CANCELLED.includes(second) ? 'cancelled' : 'refused', detail }
}

/** Returns what is wrong with the shape of a response; null if nothing is. */
function findFlaw(response: XmlElement): string | null {
  const all = [...allElements(response)]
  const assertion = childOf(response, 'Assertion')
  if (all.some(({ name }) => name === 'EncryptedAssertion')) return 'encrypted assertion'
  if (assertion === null || all.filter(({ name }) => name === 'Assertion').length !== 1) return 'not one assertion'
  if (all.filter(({ name }) => name === 'Response').length !== 1) return 'not one response'
  if (hasRepeatedId(all)) return 'repeated id'
  if (!isSigned(assertion)) return 'not signed'
  const signed = [response, assertion].map((element) => childrenOf(element, 'Signature', SIGNATURE).length)
  if (signed.some((count) => count > 1)) return 'several signatures'
  if (all.filter(({ name }) => name === 'Signature').length !== signed.reduce((sum, count) => sum + count, 0))
    return 'misplaced signature'
  return hasWeakAlgorithm(all) ? 'weak algorithm' : null
}

function hasRepeatedId(all: readonly XmlElement[]): boolean {
  const ids = all.flatMap(({ attributes }) =>
    [...attributes].flatMap(([name, value]) => (/^(?:\w+:)?id$/i.test(name) ? [value] : [])),
  )
  return new Set(ids).size !== ids.length
}

const hasWeakAlgorithm = (all: readonly XmlElement[]) =>
  all.some(({ name, attributes }) => ALGORITHMS[name]?.includes(attributes.get('Algorithm') ?? '') === false)

const timeOf = (text: string | undefined) => (text === undefined ? Number.NaN : Date.parse(text) / 1000)

/** Returns until when the assertion counts for a request of this server, or why it does not. */
function findExpiry(
  assertion: XmlElement,
  { answerUrl }: ServiceProvider,
  { requestId, now }: { requestId: string; now: number },
): number | string {
  const conditions = childOf(assertion, 'Conditions')
  const [statement] = childrenOf(assertion, 'AuthnStatement')
  const subject = childOf(assertion, 'Subject')
  if (conditions === null || statement === undefined || subject === null) return 'incomplete'
  if (!(timeOf(assertion.attributes.get('IssueInstant')) <= now + CLOCK_TOLERANCE)) return 'issued in the future'
  const confirmations = childrenOf(subject, 'SubjectConfirmation')
    .filter(({ attributes }) => attributes.get('Method') === BEARER)
    .flatMap((confirmation) => childrenOf(confirmation, 'SubjectConfirmationData'))
    .filter(({ attributes }) => attributes.get('Recipient') === answerUrl)
  if (confirmations.length === 0) return 'other recipient'
  const [confirmation] = confirmations.filter(({ attributes }) => attributes.get('InResponseTo') === requestId)
  if (confirmation === undefined) return 'other request'
  const ends = [confirmation.attributes.get('NotOnOrAfter') ?? '']
  const starts: string[] = []
  const add = (list: string[], text: string | undefined) => text !== undefined && list.push(text)
  add(ends, conditions.attributes.get('NotOnOrAfter'))
  add(ends, statement.attributes.get('SessionNotOnOrAfter'))
  for (const { attributes } of [conditions, confirmation]) add(starts, attributes.get('NotBefore'))
  if (!starts.every((text) => timeOf(text) <= now + CLOCK_TOLERANCE)) return 'not valid yet'
  const end = Math.min(...ends.map(timeOf)) + CLOCK_TOLERANCE
  return end > now ? Math.min(end, now + MAX_LIFETIME) : 'expired'
}

/** The names under which identity providers send what is needed, unless the declaration has others. */
const NAMES = {
  id: [],
  email: [
    'email',
    'mail',
    'urn:oid:0.9.2342.19200300.100.1.3',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  ],
  name: [
    'displayName',
    'urn:oid:2.16.840.1.113730.3.1.241',
    'http://schemas.microsoft.com/identity/claims/displayname',
    'name',
    'cn',
    'urn:oid:2.5.4.3',
  ],
  first_name: [
    'first_name',
    'firstName',
    'givenName',
    'urn:oid:2.5.4.42',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname',
  ],
  last_name: [
    'last_name',
    'lastName',
    'sn',
    'urn:oid:2.5.4.4',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname',
  ],
  groups: ['groups', 'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups', 'memberOf'],
} as const satisfies Record<keyof SamlProvider['attributes'], readonly string[]>

/** The attribute with which Microsoft Entra replaces a list of groups that is too long. */
const GROUPS_ELSEWHERE = 'http://schemas.microsoft.com/claims/groups.link'

const MAX_SUBJECT_LENGTH = 255
const MAX_GROUPS = 1000

/** Returns the identity in a checked assertion, or why it has none. */
function readIdentity(provider: SamlProvider, assertion: XmlElement): ExternalIdentity | string {
  const values = new Map<string, string[]>()
  for (const statement of childrenOf(assertion, 'AttributeStatement'))
    for (const attribute of childrenOf(statement, 'Attribute')) {
      const name = attribute.attributes.get('Name') ?? ''
      const more = childrenOf(attribute, 'AttributeValue').map(textOf)
      values.set(name, [...(values.get(name) ?? []), ...more])
    }
  const valuesOf = (field: keyof typeof NAMES) => {
    const own = provider.attributes[field]
    const name = (own === undefined ? NAMES[field] : [own]).find((one) => values.has(one))
    return name === undefined ? null : (values.get(name) ?? [])
  }
  const firstOf = (field: keyof typeof NAMES) => valuesOf(field)?.find((value) => value !== '') ?? ''

  const nameId = childOf(childOf(assertion, 'Subject') ?? assertion, 'NameID')
  const format = nameId?.attributes.get('Format')
  const hasOwnId = provider.attributes.id !== undefined
  if (!hasOwnId && format === TRANSIENT_FORMAT) return 'transient NameID'
  const subject = hasOwnId ? firstOf('id') : textOf(nameId)
  if (subject === '' || subject.length > MAX_SUBJECT_LENGTH) return 'no usable id'
  const email = firstOf('email') || (format === EMAIL_FORMAT ? textOf(nameId) : '')
  const { emailDomains } = provider
  const isTrusted = emailDomains?.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase()) ?? true
  const parts = [firstOf('first_name'), firstOf('last_name')].filter((part) => part !== '')
  // Identity providers leave the attribute out for people without groups.
  const groups = values.has(GROUPS_ELSEWHERE) ? null : (valuesOf('groups') ?? [])
  return {
    provider: provider.id,
    issuer: provider.issuer,
    subject,
    email: email !== '' && isTrusted ? email : null,
    name: firstOf('name') || parts.join(' '),
    picture: null,
    groups: groups?.slice(0, MAX_GROUPS) ?? null,
  }
}

/** The messages of logouts, and the names of the parameters that contain them. */
const LOGOUTS = { LogoutRequest: 'SAMLRequest', LogoutResponse: 'SAMLResponse' } as const

type LogoutKind = keyof typeof LOGOUTS

/** A message about a logout as it arrived: the query of an address with its signature, or the fields of a form. */
export type LogoutMessage = { query: string } | { encoded: string; relayState: string }

/** A person whom an identity provider has logged out. The request may count only once until `expiresAt`. */
export type SamlLogout = { subject: string; requestId: string; relayState: string; expiresAt: number }

/** A message before its signature is checked. */
type UncheckedMessage = {
  xml: string
  root: XmlElement
  relayState: string
  /** The parameters of the query, decoded and as they were signed; null for a form. */
  signed: { fields: { encoded: string; RelayState: string; SigAlg: string; Signature: string }; text: string } | null
}

/** The maximum length of the text that an identity provider gets back with the answer to a logout. */
const MAX_RELAY_STATE = 1000

/**
 * Returns the parameters of a query that are signed; null if one occurs twice or cannot be decoded. Only these are read
 * afterwards, so that no other spelling of a name can smuggle in what was not signed.
 */
function readSignedQuery(query: string, kind: LogoutKind): UncheckedMessage['signed'] {
  const parts = query.split('&')
  const names = [LOGOUTS[kind], 'RelayState', 'SigAlg', 'Signature']
  const given = names.map((name) => parts.filter((part) => part.startsWith(`${name}=`)))
  if (given.some((found) => found.length > 1)) return null
  const texts = given.map(([part]) => part)
  try {
    const [encoded = '', RelayState = '', SigAlg = '', Signature = ''] = texts.map((part = '=') =>
      decodeURIComponent(part.slice(part.indexOf('=') + 1).replaceAll('+', ' ')),
    )
    const text = texts.slice(0, 3).filter((part) => part !== undefined)
    return { fields: { encoded, RelayState, SigAlg, Signature }, text: text.join('&') }
  } catch {
    return null
  }
}

/** Returns the message of this kind; null if it is none. */
function readLogout(message: LogoutMessage, kind: LogoutKind): UncheckedMessage | null {
  const signed = 'query' in message ? readSignedQuery(message.query, kind) : null
  if ('query' in message && signed === null) return null
  const { encoded, relayState } =
    'query' in message
      ? { encoded: signed?.fields.encoded ?? '', relayState: signed?.fields.RelayState ?? '' }
      : message
  if (relayState.length > MAX_RELAY_STATE) return null
  const bytes = Buffer.from(encoded, 'base64')
  try {
    const xml = (signed === null ? bytes : inflateRawSync(bytes, { maxOutputLength: MAX_INFLATED })).toString('utf8')
    const root = readMessage(xml, kind)
    return root === null ? null : { xml, root, relayState, signed }
  } catch {
    return null
  }
}

/** Returns the entity ID that a logout names, which proves nothing; null if it names none. */
export function readLogoutIssuer(message: LogoutMessage): string | null {
  const request = readLogout(message, 'LogoutRequest')?.root
  return request === undefined ? null : textOf(childOf(request, 'Issuer')) || null
}

/** Returns a message of the identity provider that was signed as a whole and is meant for this server; or the problem. */
async function checkLogout(
  provider: SamlProvider,
  here: ServiceProvider,
  { message, kind }: { message: LogoutMessage; kind: LogoutKind },
): Promise<UncheckedMessage | ProviderProblem> {
  const invalid = (detail: string): ProviderProblem => ({ problem: 'invalid', detail })
  const read = readLogout(message, kind)
  if (read === null) return invalid('no logout')
  const flaw = findLogoutFlaw(read)
  if (flaw !== null) return invalid(flaw)
  if (!(await isLogoutSigned(provider, here, read, kind))) return invalid('signature')
  if (textOf(childOf(read.root, 'Issuer')) !== provider.issuer) return invalid('other issuer')
  // Nothing else says for whom the message is meant.
  return read.root.attributes.get('Destination') === here.answerUrl ? read : invalid('other destination')
}

/** Returns whom the identity provider has logged out, or the problem. */
export async function readLogoutRequest(
  { clock }: { clock: Clock },
  declared: SamlProvider,
  here: ServiceProvider,
  message: LogoutMessage,
): Promise<SamlLogout | ProviderProblem> {
  const provider = await withMetadata(clock, declared)
  if (isProblem(provider)) return provider
  const invalid = (detail: string): ProviderProblem => ({ problem: 'invalid', detail })
  const checked = await checkLogout(provider, here, { message, kind: 'LogoutRequest' })
  if (isProblem(checked)) return checked
  const { root, relayState } = checked
  const [requestId, subject] = [root.attributes.get('ID') ?? '', textOf(childOf(root, 'NameID'))]
  const now = clock.now()
  const issuedAt = timeOf(root.attributes.get('IssueInstant'))
  if (!(issuedAt <= now + CLOCK_TOLERANCE)) return invalid('issued in the future')
  const end = root.attributes.get('NotOnOrAfter')
  const lifetime = end === undefined ? LOGOUT_LIFETIME : Math.min(timeOf(end) - issuedAt, MAX_LIFETIME)
  const expiresAt = issuedAt + lifetime + CLOCK_TOLERANCE
  return expiresAt > now ? { subject, requestId, relayState, expiresAt } : invalid('expired')
}

/** Seconds for which a logout counts if it does not say how long. */
const LOGOUT_LIFETIME = 300

/** Returns what is wrong with the shape of a message about a logout; null if nothing is. */
function findLogoutFlaw({ root, signed }: UncheckedMessage): string | null {
  const person = root.name === 'LogoutRequest' ? [textOf(childOf(root, 'NameID'))] : []
  const ids = [root.attributes.get('ID') ?? '', ...person]
  if (ids.some((text) => text === '' || text.length > MAX_SUBJECT_LENGTH)) return 'no usable id'
  if (signed !== null) {
    const { SigAlg, Signature } = signed.fields
    if (Signature === '') return 'not signed'
    return ALGORITHMS['SignatureMethod']?.includes(SigAlg) === true ? null : 'weak algorithm'
  }
  const all = [...allElements(root)]
  if (hasRepeatedId(all)) return 'repeated id'
  if (!isSigned(root)) return 'not signed'
  if (all.filter(({ name }) => name === 'Signature').length !== 1) return 'several signatures'
  return hasWeakAlgorithm(all) ? 'weak algorithm' : null
}

/** Returns whether a key of the identity provider has signed the whole message. */
async function isLogoutSigned(
  provider: SamlProvider,
  here: ServiceProvider,
  { xml, signed }: UncheckedMessage,
  kind: LogoutKind,
): Promise<boolean> {
  const saml = await load(provider, here, { wantAuthnResponseSigned: true })
  const form = Buffer.from(xml).toString('base64')
  const checking =
    signed !== null
      ? saml.validateRedirectAsync({ ...signed.fields, [LOGOUTS[kind]]: signed.fields.encoded }, signed.text)
      : kind === 'LogoutRequest'
        ? saml.validatePostRequestAsync({ SAMLRequest: form })
        : saml.validatePostResponseAsync({ SAMLResponse: form })
  return checking.then(
    ({ loggedOut }) => loggedOut === true,
    () => false,
  )
}

/**
 * Returns the address that brings the answer to the identity provider. Returns null if it has no address for answers, or
 * this server no key to sign them: the browser then stays here.
 */
export async function logoutAnswer(
  { clock }: { clock: Clock },
  declared: SamlProvider,
  here: ServiceProvider,
  { requestId, relayState, nonce }: { requestId: string; relayState: string; nonce: string },
): Promise<string | null> {
  const provider = await withMetadata(clock, declared)
  if (isProblem(provider) || provider.logoutAnswerUrl === '' || provider.signing === null) return null
  const options = { logoutUrl: provider.logoutAnswerUrl, generateUniqueId: () => requestIdOf(nonce) }
  const saml = await load(provider, here, options)
  const request = { ID: requestId, issuer: provider.issuer, nameID: '', nameIDFormat: '' }
  return saml.getLogoutResponseUrlAsync(request, relayState, {}, true)
}

/**
 * Returns the address of the identity provider to which the browser goes to be signed out there, or the problem. `state`
 * comes back with the answer.
 */
export async function beginSamlLogout(
  { clock }: { clock: Clock },
  declared: SamlProvider,
  here: ServiceProvider,
  { session, nonce, state }: { session: SamlSession; nonce: string; state: string },
): Promise<string | ProviderProblem> {
  const provider = await withMetadata(clock, declared)
  if (isProblem(provider)) return provider
  if (provider.logoutUrl === '') return { problem: 'invalid', detail: 'no address for logouts' }
  const saml = await load(provider, here, { generateUniqueId: () => requestIdOf(nonce) })
  const { nameId: nameID, format: nameIDFormat, index } = session
  const person = { issuer: provider.issuer, nameID, nameIDFormat, ...(index !== null && { sessionIndex: index }) }
  return saml.getLogoutUrlAsync(person, state, {})
}

/** Returns the problem if the message does not say that the identity provider has signed the person out. */
export async function findLogoutProblem(
  { clock }: { clock: Clock },
  declared: SamlProvider,
  here: ServiceProvider,
  { message, requestId }: { message: LogoutMessage; requestId: string },
): Promise<ProviderProblem | null> {
  const provider = await withMetadata(clock, declared)
  if (isProblem(provider)) return provider
  const checked = await checkLogout(provider, here, { message, kind: 'LogoutResponse' })
  if (isProblem(checked)) return checked
  if (checked.root.attributes.get('InResponseTo') !== requestId) return { problem: 'invalid', detail: 'other request' }
  return readFailure(checked.root)
}
