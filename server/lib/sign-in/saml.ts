import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { isLoopbackHost } from '../public-address.ts'
import { readCertificate, readSamlMetadata, type SamlMetadata } from '../saml-metadata.ts'
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
  metadata_url: webAddress
    .optional()
    .describe('An https address with the metadata, which are fetched again and again. It needs entity_id.'),
  entity_id: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe(
      'The entity ID of the identity provider. With metadata in this file or another, it is needed only if they describe several.',
    ),
  sign_on_url: webAddress.optional().describe('Without metadata: the address for sign-ins by HTTP-Redirect.'),
  logout_url: webAddress
    .optional()
    .describe('Without metadata: the address for logouts by HTTP-Redirect, if it has one.'),
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
  logout: z
    .boolean()
    .default(false)
    .describe('True if people who sign out here are signed out at the identity provider as well.'),
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
  /** The address of the metadata, which have the sign-on address and the certificates then; null if they are known. */
  metadataUrl: string | null
  signOnUrl: string
  /** The addresses for logouts, and for answers to logouts; '' if there are none. */
  logoutUrl: string
  logoutAnswerUrl: string
  /** The certificates that may have signed an assertion, as PEM. */
  certificates: readonly string[]
  /** The domains for whose addresses it is trusted; null for all. */
  emailDomains: readonly string[] | null
  isIdpInitiated: boolean
  /** True if people who sign out here are signed out there, too. */
  isLogoutSent: boolean
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
  const { id, metadata_url: metadataUrl = null } = given
  const complain = (problem: string) => context.complain(`${id}: ${problem}`)
  if (given.email_domains === undefined && given.addresses_are_verified === undefined)
    complain('needs email_domains or addresses_are_verified')
  return {
    id,
    name: given.name,
    ...(metadataUrl === null ? readProvider(given, context, complain) : readLater(given, complain)),
    metadataUrl,
    emailDomains: given.addresses_are_verified === true ? null : (given.email_domains ?? []),
    isIdpInitiated: given.idp_initiated,
    isLogoutSent: given.logout,
    attributes: given.attributes,
    groups: given.groups,
    roles: given.roles,
    organizations: given.organizations ?? null,
    signing: readSigning(given, context, complain),
  }
}

type Complain = (problem: string) => void
type Described = Pick<SamlSettings, 'entityId' | 'signOnUrl' | 'logoutUrl' | 'logoutAnswerUrl' | 'certificates'>

/** Returns what is known of a provider whose metadata are fetched with the first sign-in. */
function readLater(
  { entity_id: entityId, metadata_url: url = '', logout_url: logoutUrl = '' }: z.infer<typeof samlDeclaration>,
  complain: Complain,
): Described {
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'https:' && !isLoopbackHost(hostname)) complain('metadata_url must be an https address')
  if (entityId === undefined) complain('needs entity_id for metadata_url')
  return { entityId: entityId ?? '', signOnUrl: '', logoutUrl, logoutAnswerUrl: logoutUrl, certificates: [] }
}

/** Returns what the file says about a provider, by its metadata or by hand. */
function readProvider(given: z.infer<typeof samlDeclaration>, context: FileContext, complain: Complain): Described {
  const metadata = readMetadata(given, context, complain)
  const entityId = given.entity_id ?? metadata?.entityId ?? ''
  const signOnUrl = given.sign_on_url ?? metadata?.signOnUrl ?? ''
  const certificates = given.certificates?.flatMap((text) => {
    const certificate = readCertificate(text)
    if (certificate === null) complain('a certificate cannot be read, or its key is not RSA with at least 2048 bits')
    return certificate ?? []
  })
  const trusted = certificates ?? metadata?.certificates ?? []
  if (entityId === '') complain('needs entity_id or metadata')
  if (!webAddress.safeParse(signOnUrl).success) complain('needs sign_on_url, or metadata with HTTP-Redirect')
  if (trusted.length === 0) complain('needs certificates, or metadata with an RSA key of at least 2048 bits')
  const logoutUrl = given.logout_url ?? metadata?.logoutUrl ?? ''
  const logoutAnswerUrl = given.logout_url ?? metadata?.logoutAnswerUrl ?? ''
  if (given.logout && logoutUrl === '') complain('needs logout_url for logout, or metadata with SingleLogoutService')
  return { entityId, signOnUrl, logoutUrl, logoutAnswerUrl, certificates: trusted }
}

/** Returns what the metadata in the file say about the provider; null if there are none. */
function readMetadata(
  { metadata_file: file, metadata, entity_id: wanted }: z.infer<typeof samlDeclaration>,
  { folder }: FileContext,
  complain: Complain,
): (SamlMetadata & { entityId: string }) | null {
  const text = metadata ?? (file === undefined ? null : readText(path.resolve(folder, file)))
  if (text === null) {
    if (file !== undefined) complain('the metadata_file cannot be read')
    return null
  }
  const providers = readSamlMetadata(text)
  const [entityId = ''] = wanted === undefined ? providers.keys() : [wanted]
  const found = providers.get(entityId)
  if (found !== undefined && (wanted !== undefined || providers.size === 1)) return { ...found, entityId }
  complain(
    providers.size > 1
      ? 'the metadata describe several identity providers; entity_id must name one of them'
      : 'the metadata do not describe the identity provider',
  )
  return null
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

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
