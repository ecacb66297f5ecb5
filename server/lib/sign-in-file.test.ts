import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { z } from 'zod'
import { newSigningKeys, startSamlProvider } from '../../test/saml-provider.ts'
import { projectRoot } from './process.ts'
import { readSignInFile, signInFileSchema } from './sign-in-file.ts'

function read(content: unknown, environment: Record<string, string> = {}) {
  const path = join(mkdtempSync(join(tmpdir(), 'sign-in-file-')), 'sign-in.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return readSignInFile(path, environment)
}

const directory = {
  id: 'corp',
  url: 'ldaps://ldap.example.com',
  base_dn: 'dc=example,dc=com',
  bind_dn: 'cn=parley,dc=example,dc=com',
  bind_password: 'very-secret',
}

const google = { id: 'google', preset: 'google', client_id: 'abc', client_secret: 'very-secret' }

test('a secret is in the file, or in an environment variable', () => {
  const { client_secret: _, ...rest } = google
  const other = { ...rest, id: 'other', client_secret_env: 'SECRET' }

  const { providers, ownersMayAddProviders } = read({ providers: [google, other] }, { SECRET: 'from-outside' })

  assert.ok(ownersMayAddProviders)
  assert.deepEqual(
    providers.map(({ clientSecret }) => clientSecret),
    ['very-secret', 'from-outside'],
  )
})

test('a directory has the usual attributes, and may be plain on this machine', () => {
  const plain = ['ldap://localhost', 'ldap://127.0.0.1:3890', 'ldap://[::1]']
  const [corp] = read({ ldap: [{ ...directory, url: plain }] }).ldap
  assert.deepEqual(corp?.urls, plain)
  assert.deepEqual(
    [corp?.search_filter, corp?.attributes.id, corp?.bindPassword],
    ['(uid={name})', 'entryUUID', 'very-secret'],
  )
})

test('every problem of the file is named with its place, and never with a secret', () => {
  const wrong: [unknown, RegExp][] = [
    ['{', /is not JSON/],
    [{ providers: [{ ...google, preset: 'gogle' }] }, /providers\.0\.preset/],
    [{ providers: [{ ...google, colour: 'red' }] }, /colour/],
    [{ providers: [{ ...google, id: 'own-1' }] }, /providers\.0\.id/],
    [{ providers: [{ ...google, preset: 'keycloak' }] }, /providers\.0\.issuer: is needed/],
    [{ providers: [{ ...google, roles: { a: 'owner' } }] }, /providers\.0\.groups_claim: is needed/],
    [{ providers: [{ ...google, preset: 'apple' }] }, /team_id/],
    [{ providers: [google, google] }, /occurs twice/],
    [{ providers: [{ ...google, client_secret: undefined, client_secret_env: 'NOWHERE' }] }, /NOWHERE is not set/],
    [{ providers: [{ ...google, client_secret: undefined }] }, /google: needs client_secret/],
    [{ providers: [google], ldap: [{ ...directory, id: 'google' }] }, /occurs twice/],
    [{ ldap: [{ ...directory, url: 'ldap://ldap.example.com' }] }, /ldap\.0\.url: must begin with ldaps/],
    [{ ldap: [{ ...directory, url: ['ldaps://a.test', 'ldap://localhost.test'] }] }, /ldap\.0\.url: must begin/],
    [{ ldap: [{ ...directory, start_tls: true }] }, /ldap\.0\.start_tls: is only for ldap/],
    [{ ldap: [{ ...directory, url: 'http://ldap.example.com' }] }, /ldap\.0\.url/],
    [{ ldap: [{ ...directory, search_filter: '(uid=ada)' }] }, /must contain \{name\}/],
    [{ ldap: [{ ...directory, search_filter: '(&(uid={name})' }] }, /must be an LDAP filter/],
    [{ ldap: [{ ...directory, roles: { a: 'owner' } }] }, /ldap\.0\.groups_attribute: or groups_search is needed/],
    [{ ldap: [{ ...directory, bind_password: undefined }] }, /corp: needs bind_password/],
    [{ ldap: [{ ...directory, ca_file: '/nowhere/ca.pem' }] }, /corp: ca_file cannot be read/],
  ]
  for (const [content, problem] of wrong)
    assert.throws(
      () => read(content),
      ({ message }: Error) => problem.test(message) && !message.includes('very-secret'),
    )
  assert.throws(() => readSignInFile('/nowhere/sign-in.json', {}), /cannot be read/)
})

test('an identity provider of SAML is described by its metadata, or by hand', async () => {
  const { metadata, entityId, signOnUrl, logoutUrl, keys } = await startSamlProvider(() => 0)
  const folder = mkdtempSync(join(tmpdir(), 'sign-in-file-'))
  writeFileSync(join(folder, 'metadata.xml'), metadata)
  const shared = { email_domains: ['Example.COM'] }
  const base64 = keys.certificate.replace(/-----[^-]+-----/g, '')
  const saml = [
    { id: 'file', metadata_file: 'metadata.xml', ...shared },
    { id: 'inline', metadata, addresses_are_verified: true },
    { id: 'hand', entity_id: entityId, sign_on_url: signOnUrl, certificates: [base64, keys.certificate], ...shared },
  ]
  writeFileSync(join(folder, 'sign-in.json'), JSON.stringify({ saml }))

  const [file, inline, hand] = readSignInFile(join(folder, 'sign-in.json'), {}).saml

  for (const one of [file, inline, hand]) {
    assert.deepEqual([one?.entityId, one?.signOnUrl], [entityId, signOnUrl])
    assert.ok(one?.certificates.every((certificate) => certificate === keys.certificate))
  }
  assert.deepEqual([file?.emailDomains, inline?.emailDomains], [['example.com'], null])
  assert.equal(hand?.certificates.length, 2)
  assert.deepEqual([file?.logoutUrl, inline?.logoutUrl, hand?.logoutUrl], [logoutUrl, logoutUrl, ''])
})

test('a declaration of SAML that is incomplete or unsafe is refused', async () => {
  const { metadata, keys } = await startSamlProvider(() => 0)
  const good = { id: 'corp', metadata, email_domains: ['example.com'] }
  const [other, weak] = [newSigningKeys(), newSigningKeys(1024)]
  const wrong: [object, RegExp][] = [
    [{ metadata: undefined }, /corp: needs entity_id or metadata; corp: needs sign_on_url.*; corp: needs certificates/],
    [{ metadata: undefined, metadata_file: 'nowhere.xml' }, /corp: the metadata_file cannot be read/],
    [{ metadata: `<!DOCTYPE r>${metadata}` }, /corp: the metadata do not describe/],
    [{ metadata: `<r>${metadata.replace(/<\?.*\?>/, '')}</r>`, entity_id: 'https://other.test' }, /do not describe/],
    [{ metadata: undefined, metadata_url: 'http://idp.test/', entity_id: 'https://idp.test' }, /must be an https/],
    [{ metadata: undefined, metadata_url: 'https://idp.test/' }, /corp: needs entity_id for metadata_url/],
    [{ certificates: ['abc'] }, /corp: a certificate cannot be read/],
    [{ certificates: [weak.certificate] }, /at least 2048 bits/],
    [{ metadata: metadata.replace(/<md:SingleLogout[^>]*>/, ''), logout: true }, /corp: needs logout_url for logout/],
    [{ email_domains: undefined }, /corp: needs email_domains or addresses_are_verified/],
    [{ signing_key: other.privateKey }, /corp: needs a signing_certificate/],
    [{ signing_key: other.privateKey, signing_certificate: keys.certificate }, /corp: needs a signing_certificate/],
    [{ id: 'google' }, /the id google occurs twice/],
  ]
  for (const [change, problem] of wrong)
    assert.throws(
      () => read({ providers: [google], saml: [{ ...good, ...change }] }),
      ({ message }: Error) => problem.test(message) && !message.includes('PRIVATE KEY'),
    )
  assert.throws(() => read({ providers: [{ ...google, id: 'saml' }] }), /saml: this id/)
})

const proxy = { from: ['10.0.0.0/8', '::1'] }
const jwt = { organization: '', key: 'very-secret-very-secret-very-secret', algorithms: ['HS256'] }

test('a proxy and keys for tokens are declared with the addresses, algorithms and secrets that belong to them', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = (key: KeyObject, type: 'spki' | 'pkcs8') => key.export({ type, format: 'pem' })
  const [ec, secretEc] = [pem(publicKey, 'spki'), pem(privateKey, 'pkcs8')]
  const { proxy: found, jwt: keys } = read({ proxy, jwt: [jwt, { ...jwt, key: ec, algorithms: ['ES256'] }] })
  const wrong: [object, RegExp][] = [
    [{ proxy: { from: [] } }, /proxy\.from/],
    [{ proxy: { from: ['proxy.example.com'] } }, /proxy\.from\.0: must be an IP address/],
    [{ proxy: { from: ['0.0.0.0/0'] } }, /must not contain all addresses/],
    [{ proxy: { ...proxy, header: 'Cookie' } }, /proxy\.header: must be a header that nothing else uses/],
    [{ proxy: { ...proxy, header: 'X-A', name_header: 'x-a' } }, /proxy\.header: must not occur twice/],
    [{ proxy: { ...proxy, roles: { chiefs: 'owner' } } }, /proxy\.groups_header: is needed/],
    [{ jwt: [{ ...jwt, algorithms: ['none'] }] }, /jwt\.0\.algorithms\.0/],
    [{ jwt: [{ ...jwt, key: 'very-secret' }] }, /jwt\.0: the secret must have at least 32 bytes/],
    [{ jwt: [{ ...jwt, algorithms: ['HS256', 'RS256'] }] }, /RS256 does not fit the key/],
    [{ jwt: [{ ...jwt, key: ec }] }, /HS256 does not fit the key/],
    [{ jwt: [{ ...jwt, key: ec, algorithms: ['ES384'] }] }, /ES384 does not fit the key/],
    [{ jwt: [{ ...jwt, key: secretEc, algorithms: ['ES256'] }] }, /must be a public key or a secret/],
    [{ jwt: [{ ...jwt, key: undefined }] }, /jwt\.0: needs key/],
    [{ jwt: [jwt, { ...jwt, organization: 'other' }] }, /jwt\.1: the key of another organization needs an audience/],
    [
      {
        jwt: [
          { ...jwt, audience: 'a' },
          { ...jwt, organization: 'other' },
        ],
      },
      /jwt\.1: the key of another organization/,
    ],
    [
      { jwt: ['', 'other'].map((organization) => ({ ...jwt, organization, audience: 'a' })) },
      /jwt\.1: the key of another organization needs an audience/,
    ],
    [{ jwt: [{ ...jwt, origins: ['https://example.com/portal'] }] }, /must be an origin/],
  ]

  assert.deepEqual([found?.header, found?.networks.length, keys.length], ['x-remote-user', 2, 2])
  for (const [content, problem] of wrong)
    assert.throws(
      () => read(content),
      ({ message }: Error) => problem.test(message) && !/very-secret|PRIVATE/.test(message),
    )
})

test('the published schema is that of the code', () => {
  const path = join(projectRoot, 'docs/sign-in-file.schema.json')
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), z.toJSONSchema(signInFileSchema, { io: 'input' }))
})
