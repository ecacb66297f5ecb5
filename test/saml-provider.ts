import { createSign, generateKeyPairSync, type KeyObject, randomBytes, sign as signBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { SignedXml } from 'xml-crypto'
import { escapeHtml } from '#lib/html.ts'
import { noSignInFile, type SignInFile } from '#lib/sign-in-file.ts'
import { allElements, readXml } from '#lib/xml.ts'

// An identity provider of SAML 2.0 on loopback, whose answers tests can forge. It answers a request with a page whose form
// leads back, as real ones do.

const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256'
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'

/** A key with the certificate that names it. */
export type SigningKeys = { privateKey: string; certificate: string }

/** The parts of an answer that tests change. `seconds` are counted from now. */
type Answer = {
  issuer: string
  audience: string
  recipient: string
  destination: string | null
  inResponseTo: string | null
  notBefore: number
  notOnOrAfter: number
  assertionId: string
  status: string
  nameId: string
  nameIdFormat: string
  attributes: Readonly<Record<string, readonly string[]>>
  /** The elements that are signed. */
  signs: readonly ('Assertion' | 'Response')[]
  algorithm: string
  digest: string
  keys: SigningKeys
  /** Changes the document after it was signed. */
  tamper(xml: string): string
}

/** The parts of a logout that tests change. `seconds` are counted from now. */
export type Logout = {
  /** A response needs `inResponseTo`. */
  kind: 'LogoutRequest' | 'LogoutResponse'
  inResponseTo: string
  status: string
  id: string
  issuer: string
  destination: string
  nameId: string
  issuedAt: number
  notOnOrAfter: number | null
  isSigned: boolean
  algorithm: string
  digest: string
  keys: SigningKeys
  /** Changes the document after it was signed. */
  tamper(xml: string): string
}

/** A form with which a browser comes back from the provider. */
export type SamlForm = { action: string; SAMLResponse: string; RelayState: string }

export type SamlIdentityProvider = {
  readonly entityId: string
  readonly signOnUrl: string
  /** The addresses for logouts, and for answers to logouts. */
  readonly logoutUrl: string
  readonly logoutAnswerUrl: string
  /** The metadata, which are also at the entity ID. */
  readonly metadata: string
  /** Replaces the answer to requests for metadata. */
  metadataAnswer: { status: number; body: string } | null
  keys: SigningKeys
  /** Replaces parts of the next answers. */
  answer: Partial<Answer>
  /** The requests of browsers, oldest first. */
  readonly requests: { id: string; xml: string; query: URLSearchParams }[]
  /** Returns the form with which the provider answers a browser that was sent to this address. */
  visit(address: string): Promise<SamlForm>
  /** Returns the form of a sign-in that begins at the provider. */
  begin(to: { entityId: string; answerUrl: string; relayState: string }): Promise<SamlForm>
  /** Returns a message about a logout as the query of an address, or as the fields of a form. */
  logOut(binding: 'redirect' | 'post', destination: string, changes?: Partial<Logout>, relayState?: string): string
}

const open: (() => Promise<void>)[] = []
after(async () => {
  for (const close of open) await close()
})

/** Returns a part of a certificate: the tag, the length and the content. */
function der(tag: number, ...content: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(content.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}

/** Returns a new key with a certificate that it signed itself. */
export function newSigningKeys(modulusLength = 2048): SigningKeys {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength })
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    certificate: certify(privateKey, publicKey),
  }
}

function certify(privateKey: KeyObject, publicKey: KeyObject): string {
  const algorithm = Buffer.from('300d06092a864886f70d01010b0500', 'hex')
  const name = der(0x30, der(0x31, der(0x30, Buffer.from('0603550403', 'hex'), der(0x0c, 'identity provider'))))
  const validity = der(0x30, der(0x17, '200101000000Z'), der(0x17, '491231235959Z'))
  const serial = der(0x02, Buffer.from([1]), randomBytes(8))
  const content = der(0x30, serial, algorithm, name, validity, name, publicKey.export({ type: 'spki', format: 'der' }))
  const signature = der(0x03, Buffer.from([0]), signBytes('sha256', content, privateKey))
  const text = der(0x30, content, algorithm, signature).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${text.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
}

/** Starts a provider. `now` is the time by its clock, in UNIX seconds. */
export async function startSamlProvider(now: () => number): Promise<SamlIdentityProvider> {
  let base = ''
  const instant = (seconds: number) => new Date((now() + seconds) * 1000).toISOString()

  const provider: SamlIdentityProvider = {
    get entityId() {
      return `${base}/metadata`
    },
    get signOnUrl() {
      return `${base}/sign-on`
    },
    get logoutUrl() {
      return `${base}/log-out`
    },
    get logoutAnswerUrl() {
      return `${base}/logged-out`
    },
    get metadata() {
      const certificate = provider.keys.certificate.replace(/-----[^-]+-----|\s/g, '')
      const key = (use: string) =>
        `<md:KeyDescriptor use="${use}"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`
      return `<?xml version="1.0"?><!-- for tests -->
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${provider.entityId}">
<md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${key('signing')}
<md:SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${provider.logoutUrl}" ResponseLocation="${provider.logoutAnswerUrl}"/>
<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${base}/post"/>
<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${provider.signOnUrl}"/>
</md:IDPSSODescriptor></md:EntityDescriptor>`
    },
    metadataAnswer: null,
    keys: newSigningKeys(),
    answer: {},
    requests: [],
    async visit(address) {
      const body = await (await fetch(address)).text()
      const of = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(body)?.[1] ?? ''
      const action = /action="([^"]*)"/.exec(body)?.[1] ?? ''
      return { action, SAMLResponse: of('SAMLResponse'), RelayState: of('RelayState') }
    },
    begin: ({ relayState, ...to }) => provider.visit(`${base}/begin?${new URLSearchParams({ ...to, relayState })}`),
    logOut(binding, destination, changes, relayState = 'a state, 1') {
      const logout: Logout = {
        kind: 'LogoutRequest',
        inResponseTo: '',
        status: 'Success',
        id: `_${randomBytes(12).toString('hex')}`,
        issuer: provider.entityId,
        destination,
        nameId: 'ada-1',
        issuedAt: 0,
        notOnOrAfter: 300,
        isSigned: true,
        algorithm: RSA_SHA256,
        digest: SHA256,
        keys: provider.keys,
        tamper: (xml) => xml,
        ...changes,
      }
      const end = logout.notOnOrAfter === null ? '' : ` NotOnOrAfter="${instant(logout.notOnOrAfter)}"`
      const request = logout.kind === 'LogoutRequest'
      const start = `<samlp:${logout.kind} xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${logout.id}" Version="2.0" IssueInstant="${instant(logout.issuedAt)}" Destination="${logout.destination}"`
      const issuer = `<saml:Issuer>${logout.issuer}</saml:Issuer>`
      const xml = request
        ? `${start}${end}>${issuer}<saml:NameID>${logout.nameId}</saml:NameID><samlp:SessionIndex>_1</samlp:SessionIndex></samlp:LogoutRequest>`
        : `${start} InResponseTo="${logout.inResponseTo}">${issuer}<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${logout.status}"/></samlp:Status></samlp:LogoutResponse>`
      const field = request ? 'SAMLRequest' : 'SAMLResponse'
      if (binding === 'post') {
        const signed = logout.isSigned ? sign(xml, logout.kind, logout) : xml
        const encoded = Buffer.from(logout.tamper(signed)).toString('base64')
        return new URLSearchParams({ [field]: encoded, RelayState: relayState }).toString()
      }
      const encode = (text: string) => encodeURIComponent(deflateRawSync(text).toString('base64'))
      // Some providers escape with small letters.
      const state = encodeURIComponent(relayState).replaceAll('%20', '+').replaceAll('%2C', '%2c')
      const rest = `&RelayState=${state}&SigAlg=${encodeURIComponent(logout.algorithm)}`
      const hash = logout.algorithm.endsWith('sha1') ? 'RSA-SHA1' : 'RSA-SHA256'
      const signer = createSign(hash).update(`${field}=${encode(xml)}${rest}`)
      const signature = signer.sign(logout.keys.privateKey, 'base64')
      const proof = logout.isSigned ? `&Signature=${encodeURIComponent(signature)}` : ''
      return `${field}=${encode(logout.tamper(xml))}${rest}${proof}`
    },
  }

  function respond({
    entityId,
    answerUrl,
    requestId,
  }: {
    entityId: string
    answerUrl: string
    requestId: string | null
  }) {
    const answer: Answer = {
      issuer: provider.entityId,
      audience: entityId,
      recipient: answerUrl,
      destination: answerUrl,
      inResponseTo: requestId,
      notBefore: -30,
      notOnOrAfter: 300,
      assertionId: `_${randomBytes(12).toString('hex')}`,
      status: 'urn:oasis:names:tc:SAML:2.0:status:Success',
      nameId: 'ada-1',
      nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
      attributes: { email: ['ada@example.com'], first_name: ['Ada'], last_name: ['Lovelace'] },
      signs: ['Assertion'],
      algorithm: RSA_SHA256,
      digest: SHA256,
      keys: provider.keys,
      tamper: (xml) => xml,
      ...provider.answer,
    }
    const request = answer.inResponseTo === null ? '' : ` InResponseTo="${answer.inResponseTo}"`
    const destination = answer.destination === null ? '' : ` Destination="${answer.destination}"`
    const [start, end] = [instant(answer.notBefore), instant(answer.notOnOrAfter)]
    const attributes = Object.entries(answer.attributes).map(
      ([name, values]) =>
        `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${escapeHtml(value)}</saml:AttributeValue>`).join('')}</saml:Attribute>`,
    )
    const issuer = `<saml:Issuer>${answer.issuer}</saml:Issuer>`
    const assertion = `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${answer.assertionId}" Version="2.0" IssueInstant="${instant(0)}">${issuer}<saml:Subject><saml:NameID Format="${answer.nameIdFormat}">${answer.nameId}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData${request} NotOnOrAfter="${end}" Recipient="${answer.recipient}"/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${start}" NotOnOrAfter="${end}"><saml:AudienceRestriction><saml:Audience>${answer.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${instant(0)}" SessionIndex="_session"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement></saml:Assertion>`
    const isFine = answer.status.endsWith(':Success')
    const xml = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_${randomBytes(12).toString('hex')}" Version="2.0" IssueInstant="${instant(0)}"${destination}${request}>${issuer}<samlp:Status><samlp:StatusCode Value="${answer.status}"/></samlp:Status>${isFine ? assertion : ''}</samlp:Response>`
    const signed = (isFine ? answer.signs : []).reduce((text, name) => sign(text, name, answer), xml)
    return Buffer.from(answer.tamper(signed)).toString('base64')
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '', base)
    const of = (name: string) => query.get(name) ?? ''
    if (pathname === '/metadata') {
      const { status, body } = provider.metadataAnswer ?? { status: 200, body: provider.metadata }
      response.writeHead(status, { 'content-type': 'application/samlmetadata+xml' })
      response.end(body)
      return
    }
    if (pathname === '/log-out') {
      const xml = inflateRawSync(Buffer.from(of('SAMLRequest'), 'base64')).toString()
      const requested = readXml(xml)
      provider.requests.push({ id: requested?.attributes.get('ID') ?? '', xml, query })
      const issuer = requested === null ? undefined : [...allElements(requested)].find(({ name }) => name === 'Issuer')
      const to = `${issuer?.text ?? ''}/complete/saml/`
      const changes = { kind: 'LogoutResponse', inResponseTo: requested?.attributes.get('ID') ?? '' } as const
      response.writeHead(302, { location: `${to}?${provider.logOut('redirect', to, changes, of('RelayState'))}` })
      response.end()
      return
    }
    const isRequest = pathname === '/sign-on'
    const xml = isRequest ? inflateRawSync(Buffer.from(of('SAMLRequest'), 'base64')).toString() : ''
    const root = isRequest ? readXml(xml) : null
    const requestId = root?.attributes.get('ID') ?? null
    if (requestId !== null) provider.requests.push({ id: requestId, xml, query })
    const issuer = root === null ? undefined : [...allElements(root)].find(({ name }) => name === 'Issuer')
    const answerUrl = root?.attributes.get('AssertionConsumerServiceURL') ?? of('answerUrl')
    const answer = respond({ entityId: issuer?.text ?? of('entityId'), answerUrl, requestId })
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(`<!doctype html><title>Identity provider</title><h1>Identity provider</h1>
<form method="post" action="${answerUrl}">
<input type="hidden" name="SAMLResponse" value="${answer}">
<input type="hidden" name="RelayState" value="${escapeHtml(isRequest ? of('RelayState') : of('relayState'))}">
<button>Sign in as Ada</button>
</form>`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  open.push(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  return provider
}

/** Returns the document with a signature of the element with this name. */
function sign(
  xml: string,
  name: 'Assertion' | 'Response' | Logout['kind'],
  { keys, algorithm, digest }: Pick<Answer, 'keys' | 'algorithm' | 'digest'>,
): string {
  const signature = new SignedXml({
    privateKey: keys.privateKey,
    signatureAlgorithm: algorithm,
    canonicalizationAlgorithm: EXCLUSIVE,
  })
  signature.addReference({
    xpath: `//*[local-name(.)='${name}']`,
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', EXCLUSIVE],
    digestAlgorithm: digest,
  })
  const issuer = `//*[local-name(.)='${name}']/*[local-name(.)='Issuer']`
  signature.computeSignature(xml, { prefix: 'ds', location: { reference: issuer, action: 'after' } })
  return signature.getSignedXml()
}

/** Returns the setting SIGN_IN_FILE with the provider, which has the id `corp`. */
export const samlFileWith = (
  provider: Pick<SamlIdentityProvider, 'entityId' | 'signOnUrl' | 'keys'>,
  changes: Partial<SignInFile['saml'][number]> = {},
): SignInFile => ({
  ...noSignInFile,
  saml: [
    {
      id: 'corp',
      name: 'Example Corp',
      entityId: provider.entityId,
      metadataUrl: null,
      signOnUrl: provider.signOnUrl,
      logoutUrl: '',
      logoutAnswerUrl: '',
      certificates: [provider.keys.certificate],
      emailDomains: ['example.com'],
      isIdpInitiated: false,
      isLogoutSent: false,
      attributes: {},
      groups: undefined,
      roles: undefined,
      organizations: null,
      signing: null,
      ...changes,
    },
  ],
})
