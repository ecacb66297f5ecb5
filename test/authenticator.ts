import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

// A passkey in software, for tests without a browser: it makes keys of one kind (ES256) and signs challenges.

type Cbor = number | string | Buffer | Map<number | string, Cbor>

/** Encodes a value in CBOR (RFC 8949), as far as authenticators need it. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.size), ...[...value].flat().map(cbor)])
}

function head(type: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(type << 5) | size])
  return size < 256 ? Buffer.from([(type << 5) | 24, size]) : Buffer.from([(type << 5) | 25, size >> 8, size & 255])
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

type Signing = { origin?: string; rpId?: string; verifiesUser?: boolean; counter?: number }

/** Creates a passkey for the organization at `origin`. It counts its signatures unless a counter is given. */
export function createAuthenticator(organization = 'https://parley.test') {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const cose = new Map<number, Cbor>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, Buffer.from(x, 'base64url')],
    [-3, Buffer.from(y, 'base64url')],
  ])
  let signatures = 0

  function dataOf({ rpId = new URL(organization).hostname, verifiesUser = true, counter }: Signing, rest: Buffer) {
    signatures = counter ?? signatures + 1
    const flags = 1 | (verifiesUser ? 4 : 0) | (rest.length > 0 ? 64 : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(signatures)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, rest])
  }

  const clientData = (type: string, challenge: unknown, { origin = organization }: Signing) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))

  const response = (parts: Record<string, Buffer>) =>
    JSON.stringify({
      id: id.toString('base64url'),
      rawId: id.toString('base64url'),
      type: 'public-key',
      clientExtensionResults: {},
      response: Object.fromEntries(Object.entries(parts).map(([name, bytes]) => [name, bytes.toString('base64url')])),
    })

  return {
    /** Returns what a browser sends after `navigator.credentials.create(options)`. */
    register(options: Record<string, unknown>, given: Signing = {}): string {
      const length = Buffer.from([0, id.length])
      const authData = dataOf(given, Buffer.concat([Buffer.alloc(16), length, id, cbor(cose)]))
      const attestationObject = cbor(
        new Map<string, Cbor>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', authData],
        ]),
      )
      return response({ clientDataJSON: clientData('webauthn.create', options['challenge'], given), attestationObject })
    },
    /** Returns what a browser sends after `navigator.credentials.get(options)`. */
    sign(options: Record<string, unknown>, given: Signing = {}): string {
      const authenticatorData = dataOf(given, Buffer.alloc(0))
      const clientDataJSON = clientData('webauthn.get', options['challenge'], given)
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientDataJSON)]), privateKey)
      return response({ clientDataJSON, authenticatorData, signature })
    },
  }
}
