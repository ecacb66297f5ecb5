import { X509Certificate } from 'node:crypto'
import { allElements, readXml, type XmlElement } from './xml.ts'

// The metadata in which an identity provider of SAML 2.0 describes itself. Changing them lets people sign in as anyone,
// so they come from the operator, or from an address that the operator has named.

/** The parts that a sign-in needs. */
export type SamlMetadata = {
  /** The address for requests by HTTP-Redirect. */
  signOnUrl: string
  /** The addresses for logouts, and for answers to logouts, by HTTP-Redirect; '' if there are none. */
  logoutUrl: string
  logoutAnswerUrl: string
  /** The certificates that may sign assertions, as PEM. */
  certificates: readonly string[]
}

const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata'
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'

/** Returns what the metadata say about each identity provider in them, by its entity ID. */
export function readSamlMetadata(text: string): Map<string, SamlMetadata> {
  const root = readXml(text)
  const found = new Map<string, SamlMetadata>()
  for (const entity of root === null ? [] : allElements(root)) {
    const [role] = entity.name === 'EntityDescriptor' ? childrenOf(entity, 'IDPSSODescriptor') : []
    if (role !== undefined) found.set(entity.attributes.get('entityID') ?? '', readRole(role))
  }
  return found
}

function readRole(role: XmlElement): SamlMetadata {
  const serviceOf = (name: string) =>
    childrenOf(role, name).find(({ attributes }) => attributes.get('Binding') === REDIRECT)?.attributes
  const logout = serviceOf('SingleLogoutService')
  const logoutUrl = logout?.get('Location')
  const keys = childrenOf(role, 'KeyDescriptor').filter(({ attributes }) => attributes.get('use') !== 'encryption')
  return {
    signOnUrl: serviceOf('SingleSignOnService')?.get('Location') ?? '',
    logoutUrl: webAddress(logoutUrl),
    logoutAnswerUrl: webAddress(logout?.get('ResponseLocation') ?? logoutUrl),
    certificates: keys
      .flatMap((key) => [...allElements(key)].filter(({ name }) => name === 'X509Certificate'))
      .flatMap((element) => readCertificate(element.text) ?? []),
  }
}

const webAddress = (text = '') => (/^https?:/.test(text) && URL.canParse(text) ? text : '')

const childrenOf = ({ children }: XmlElement, wanted: string) =>
  children.filter(({ name, namespace }) => name === wanted && namespace === METADATA)

/** Returns a certificate, which is given as PEM or Base64, as PEM; null if it is none, or its key is too weak. */
export function readCertificate(text: string): string | null {
  const isPem = text.includes('-----BEGIN')
  const pem = isPem ? text : `-----BEGIN CERTIFICATE-----\n${text.replace(/\s+/g, '')}\n-----END CERTIFICATE-----`
  try {
    const certificate = new X509Certificate(pem)
    const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey
    const isStrong = asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= 2048
    return isStrong ? certificate.toString() : null
  } catch {
    return null
  }
}
