import assert from 'node:assert/strict'
import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes, verify } from 'node:crypto'
import type { PushContent } from '#notifications/push-content.ts'
import { type Browser, signIn } from './browser.ts'
import type { Chat, Person } from './harness.ts'
import { startWebhookReceiver, status, type WebhookReceiver, type WebhookRequest } from './webhook-receiver.ts'

/** A browser with a logged-in user, and a push service for it on this machine. */
type PushBrowser = {
  readonly browser: Browser
  /** The push service. */
  readonly receiver: WebhookReceiver
  /** The subscription that the page sends to the server. */
  readonly keys: { endpoint: string; p256dh: string; auth: string }
  subscribe(): Promise<void>
  /** Returns the decrypted notifications, oldest first, once all that are due have been sent. */
  notifications(): Promise<PushContent[]>
}

export async function openPushBrowser(chat: Chat, person: Person): Promise<PushBrowser> {
  const browser = await signIn(chat, person)
  const receiver = await startWebhookReceiver()
  receiver.behave(status(201))
  const own = createECDH('prime256v1')
  own.generateKeys()
  const auth = randomBytes(16)
  const endpoint = `${receiver.url}/${randomBytes(8).toString('hex')}`
  const keys = { endpoint, p256dh: own.getPublicKey('base64url'), auth: auth.toString('base64url') }
  return {
    browser,
    receiver,
    keys,
    async subscribe() {
      const { status } = await browser.call('PUT /web_push/subscription', keys)
      assert.equal(status, 200)
    },
    async notifications() {
      await chat.app.jobs.push.settled()
      const { public_key } = await browser.call('GET /web_push/subscription')
      return receiver.received.map((received) => {
        requireSigned(received, receiver, public_key)
        return JSON.parse(decrypted(received.bytes, own, auth))
      })
    },
  }
}

/** Checks the sender as push services do (RFC 8292). */
function requireSigned({ headers }: WebhookRequest, receiver: WebhookReceiver, publicKey: string): void {
  const [, token = '', key] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization ?? '') ?? []
  assert.equal(key, publicKey)
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')]
  const [head = '', claims = '', signature = ''] = token.split('.')
  const by = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const signed = Buffer.from(signature, 'base64url')
  assert.ok(verify('sha256', Buffer.from(`${head}.${claims}`), { key: by, dsaEncoding: 'ieee-p1363' }, signed))
  const { aud, sub, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  assert.equal(aud, new URL(receiver.url).origin)
  assert.match(sub, /^(https:\/\/|mailto:)/)
  assert.ok(exp > Date.now() / 1000 && exp <= Date.now() / 1000 + 86_400)
}

/** Decrypts a notification as browsers do (RFC 8188, RFC 8291). */
function decrypted(body: Buffer, own: ECDH, auth: Buffer): string {
  const [salt, keyLength] = [body.subarray(0, 16), body.readUInt8(20)]
  const sender = body.subarray(21, 21 + keyLength)
  const sealed = body.subarray(21 + keyLength)
  const derive = (from: Buffer, by: Buffer, info: Buffer | string, length: number) =>
    Buffer.from(hkdfSync('sha256', from, by, info, length))
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), sender])
  const shared = derive(own.computeSecret(sender), auth, info, 32)
  const key = derive(shared, salt, 'Content-Encoding: aes128gcm\0', 16)
  const decipher = createDecipheriv('aes-128-gcm', key, derive(shared, salt, 'Content-Encoding: nonce\0', 12))
  decipher.setAuthTag(sealed.subarray(-16))
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
  return padded.subarray(0, padded.lastIndexOf(2)).toString()
}
