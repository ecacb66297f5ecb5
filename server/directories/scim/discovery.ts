import { noSuchPath } from './errors.ts'
import { GROUP_SCHEMA } from './groups.ts'
import { type Json, MAX_COUNT, toListJson } from './resources.ts'
import { USER_SCHEMA } from './users.ts'

// The documents by which a directory learns what this server supports (RFC 7643, sections 5 to 7).

const CORE = 'urn:ietf:params:scim:schemas:core:2.0'

export const serviceProviderConfig = (url: string): Json => ({
  schemas: [`${CORE}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_COUNT },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'A token that an owner of the organization makes in its settings.',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${url}/ServiceProviderConfig` },
})

const RESOURCES = [
  { name: 'User', endpoint: '/Users', schema: USER_SCHEMA, description: 'Accounts of people' },
  { name: 'Group', endpoint: '/Groups', schema: GROUP_SCHEMA, description: 'User groups' },
]

const toResourceType = (url: string, { name, ...resource }: (typeof RESOURCES)[number]): Json => ({
  schemas: [`${CORE}:ResourceType`],
  id: name,
  name,
  ...resource,
  meta: { resourceType: 'ResourceType', location: `${url}/ResourceTypes/${name}` },
})

type Details = Record<string, unknown>

const attribute = (name: string, description: string, details: Details = {}): Json => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...details,
})

const complex = (name: string, description: string, subAttributes: Json[], details: Details = {}): Json => {
  const { caseExact: _, uniqueness: __, ...rest } = attribute(name, description, { type: 'complex', ...details })
  return { ...rest, subAttributes }
}

const part = (name: string, description: string, details: Details = {}) =>
  attribute(name, description, { mutability: 'readOnly', ...details })

const reference = (types: string[], details: Details = {}) =>
  part('$ref', 'Its address', { type: 'reference', referenceTypes: types, caseExact: true, ...details })

const SCHEMAS = [
  {
    id: USER_SCHEMA,
    name: 'User',
    description: 'The account of a person',
    attributes: [
      attribute('userName', 'The email address of the account', { required: true, uniqueness: 'server' }),
      complex('name', 'The full name, whole and in parts', [
        attribute('formatted', 'The full name'),
        attribute('givenName', 'The full name up to the first space'),
        attribute('familyName', 'The rest of the full name'),
      ]),
      attribute('displayName', 'The full name, if it is not given as a name'),
      complex(
        'emails',
        'The email address of the account',
        [
          part('value', 'The address'),
          part('type', 'Always “work”', { canonicalValues: ['work'] }),
          part('primary', 'Always true', { type: 'boolean', caseExact: undefined, uniqueness: undefined }),
        ],
        { multiValued: true, mutability: 'readOnly' },
      ),
      attribute('active', 'Whether the account is not deactivated', {
        type: 'boolean',
        caseExact: undefined,
        uniqueness: undefined,
      }),
      attribute('role', 'The role of the account', {
        canonicalValues: ['owner', 'administrator', 'moderator', 'member', 'guest'],
      }),
      complex(
        'groups',
        'The user groups of which the account is a direct member',
        [
          part('value', 'The id of the group', { caseExact: true }),
          reference(['Group']),
          part('display', 'Its name'),
          part('type', 'Always “direct”', { canonicalValues: ['direct'] }),
        ],
        { multiValued: true, mutability: 'readOnly' },
      ),
    ],
  },
  {
    id: GROUP_SCHEMA,
    name: 'Group',
    description: 'A user group',
    attributes: [
      attribute('displayName', 'The name of the group', { required: true, uniqueness: 'server' }),
      complex(
        'members',
        'The users and groups in the group',
        [
          attribute('value', 'The id of the member', { mutability: 'immutable', caseExact: true }),
          reference(['User', 'Group'], { mutability: 'immutable' }),
          part('display', 'Its name'),
          attribute('type', 'User or Group', { mutability: 'immutable', canonicalValues: ['User', 'Group'] }),
        ],
        { multiValued: true },
      ),
    ],
  },
]

const toSchema = (url: string, schema: (typeof SCHEMAS)[number]): Json => ({
  schemas: [`${CORE}:Schema`],
  ...schema,
  meta: { resourceType: 'Schema', location: `${url}/Schemas/${schema.id}` },
})

/** Returns the document at `/Schemas` or `/ResourceTypes`: all of them, or the one with this id. */
export function findDocument(url: string, kind: 'Schemas' | 'ResourceTypes', id: string | undefined): Json {
  const documents =
    kind === 'Schemas'
      ? SCHEMAS.map((schema) => toSchema(url, schema))
      : RESOURCES.map((resource) => toResourceType(url, resource))
  if (id === undefined) return toListJson(documents, { total: documents.length, startIndex: 1 })
  const found = documents.find((document) => String(document['id']).toLowerCase() === id.toLowerCase())
  if (found === undefined) throw noSuchPath()
  return found
}
