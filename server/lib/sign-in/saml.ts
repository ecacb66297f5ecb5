import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { allElements, readXml, type XmlElement } from '../xml.ts'
import {
  buttonName,
  type FileContext,
  groupMapping,
  methodId,
  organizations,
  readSecret,
  roleMapping,
  type signInRoles,
  webAddress,
} from './fields.ts'

// Identity providers of SAML 2.0, as operators declare them. What the metadata of a provider contains does not have to be
// declared again.

const attributeName = z.string().min(1).max(500).optional()

export const samlDeclaration = z.strictObject({
  id: methodId.describe('Part of the address that begins a sign-in: `https://HOST/accounts/login/social/ID`.'),
  name: buttonName.optional(),
  metadata_file: z
    .string()
    .min(1)
    .optional()
    .describe('A file with the metadata of the identity provider. Its path is relative to the folder of this file.'),
  metadata: z.string().min(1).optional().describe('The metadata itself, as XML.'),
  entity_id: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('The entity ID of the identity provider. With metadata, it is needed only if they describe several.'),
  sign_on_url: webAddress.optional().describe('Without metadata: the address for sign-ins by HTTP-Redirect.'),
  certificates: z
    .array(z.string().min(1))
    .max(10)
    .optional()
    .describe(
      'Without metadata: the certificates that sign assertions, as PEM or Base64. Name both while one is replaced.',
    ),
  email_domains: z
    .array(z.string().trim().toLowerCase().min(1).max(253))
    .optional()
    .describe('The domains for whose email addresses the identity provider is trusted.'),
  addresses_are_verified: z
    .boolean()
    .optional()
    .describe(
      'True if the identity provider is trusted for addresses of all domains: nobody can enter an address of their choice there.',
    ),
  idp_initiated: z
    .boolean()
    .default(false)
    .describe('True if a sign-in may begin at the identity provider, for example with a tile on its page.'),
  attributes: z
    .strictObject({
      id: attributeName.describe('The attribute with an id that never changes. The NameID if omitted.'),
      email: attributeName,
      name: attributeName,
      first_name: attributeName,
      last_name: attributeName,
      groups: attributeName,
    })
    .default({})
    .describe('The names of attributes that differ from the usual ones.'),
  groups: groupMapping.optional(),
  roles: roleMapping.optional(),
  organizations,
  signing_certificate: z
    .string()
    .min(1)
    .optional()
    .describe('The certificate for signed requests, as PEM, for identity providers that demand it.'),
  signing_key: z.string().min(1).optional().describe('The private key of the certificate, as PEM.'),
  signing_key_env: z.string().min(1).optional().describe('The environment variable that contains the key.'),
})

/** An identity provider of SAML. */
export type SamlSettings = {
  id: string
  name: string | undefined
  entityId: string
  signOnUrl: string
  /** The certificates that may have signed an assertion, as PEM. */
  certificates: readonly string[]
  /** The domains for whose addresses it is trusted; null for all. */
  emailDomains: readonly string[] | null
  isIdpInitiated: boolean
  attributes: z.infer<typeof samlDeclaration>['attributes']
  groups: Record<string, string> | undefined
  roles: Record<string, (typeof signInRoles)[number]> | undefined
  /** Null if all organizations offer it. */
  organizations: string[] | null
  /** The key and certificate with which requests are signed, as PEM; null if they are not. */
  signing: { key: string; certificate: string } | null
}

/** Completes a declaration by the metadata of the provider, and complains about what is missing or unusable. */
export function resolveSaml(given: z.infer<typeof samlDeclaration>, context: FileContext): SamlSettings {
  const { id } = given
  const complain = (problem: string) => context.complain(`${id}: ${problem}`)
  const metadata = readMetadata(given, context, complain)
  const entityId = given.entity_id ?? metadata?.entityId ?? ''
  const signOnUrl = given.sign_on_url ?? metadata?.signOnUrl ?? ''
  const certificates = (given.certificates ?? metadata?.certificates ?? []).flatMap((text) => {
    const certificate = readCertificate(text)
    if (certificate === null) complain('a certificate cannot be read, or its key is not RSA with at least 2048 bits')
    return certificate ?? []
  })
  if (entityId === '') complain('needs entity_id or metadata')
  if (!webAddress.safeParse(signOnUrl).success) complain('needs sign_on_url, or metadata with HTTP-Redirect')
  if (certificates.length === 0) complain('needs certificates or metadata')
  if (given.email_domains === undefined && given.addresses_are_verified === undefined)
    complain('needs email_domains or addresses_are_verified')
  return {
    id,
    name: given.name,
    entityId,
    signOnUrl,
    certificates,
    emailDomains: given.addresses_are_verified === true ? null : (given.email_domains ?? []),
    isIdpInitiated: given.idp_initiated,
    attributes: given.attributes,
    groups: given.groups,
    roles: given.roles,
    organizations: given.organizations ?? null,
    signing: readSigning(given, context, complain),
  }
}

/** Returns the certificate as PEM; null if it is none, or its key is too weak. */
function readCertificate(text: string): string | null {
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

type Complain = (problem: string) => void

function readSigning(
  {
    id,
    signing_certificate: certificate,
    signing_key: value,
    signing_key_env: variable,
  }: z.infer<typeof samlDeclaration>,
  context: FileContext,
  complain: Complain,
): SamlSettings['signing'] {
  if (certificate === undefined && value === undefined && variable === undefined) return null
  const key = readSecret(context, { id, field: 'signing_key', value, variable })
  const pem = readCertificate(certificate ?? '')
  try {
    if (pem !== null && new X509Certificate(pem).checkPrivateKey(createPrivateKey(key)))
      return { key, certificate: pem }
  } catch {
    // The problem is the same if the key cannot be read.
  }
  complain('needs a signing_certificate, and the signing_key that belongs to it')
  return null
}

const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata'
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'

type Metadata = { entityId: string; signOnUrl: string | undefined; certificates: string[] }

/** Returns what the metadata say about the identity provider; null if there are none. */
function readMetadata(
  { metadata_file: file, metadata, entity_id: wanted }: z.infer<typeof samlDeclaration>,
  { folder }: FileContext,
  complain: Complain,
): Metadata | null {
  const text = metadata ?? (file === undefined ? null : readText(path.resolve(folder, file)))
  if (text === null) {
    if (file !== undefined) complain('the metadata_file cannot be read')
    return null
  }
  const root = readXml(text)
  const entities = root === null ? [] : [...allElements(root)].filter(isIdentityProvider)
  const entity = entities.find(({ attributes }) => wanted === undefined || attributes.get('entityID') === wanted)
  if (entity === undefined || (wanted === undefined && entities.length > 1)) {
    complain(
      entities.length > 1
        ? 'the metadata describe several identity providers; entity_id must name one of them'
        : 'the metadata do not describe the identity provider',
    )
    return null
  }
  const [role] = childrenOf(entity, 'IDPSSODescriptor')
  const services = role === undefined ? [] : childrenOf(role, 'SingleSignOnService')
  const keys = role === undefined ? [] : childrenOf(role, 'KeyDescriptor')
  return {
    entityId: entity.attributes.get('entityID') ?? '',
    signOnUrl: services.find(({ attributes }) => attributes.get('Binding') === REDIRECT)?.attributes.get('Location'),
    certificates: keys
      .filter(({ attributes }) => attributes.get('use') !== 'encryption')
      .flatMap((key) =>
        [...allElements(key)].filter(({ name }) => name === 'X509Certificate').map(({ text: of }) => of),
      ),
  }
}

const childrenOf = ({ children }: XmlElement, wanted: string) =>
  children.filter(({ name, namespace }) => name === wanted && namespace === METADATA)

const isIdentityProvider = (element: XmlElement) =>
  element.name === 'EntityDescriptor' && childrenOf(element, 'IDPSSODescriptor').length > 0

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
