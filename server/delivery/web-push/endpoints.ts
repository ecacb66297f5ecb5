import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import { browserKeys, invalidBrowserKeys, requireBrowserKeys } from './browser-keys.ts'
import { deletePushSubscription, findPushSubscription, savePushSubscription } from './notices/subscription-queries.ts'
import { serverKeys } from './server-keys.ts'

const noSession = refusal('BAD_REQUEST', 400, 'Sign in with the browser that is to show notices')
const noSubscription = refusal('BAD_REQUEST', 400, 'This browser shows no notices')

const getSubscription = endpoint({
  route: 'GET /web_push/subscription',
  summary: 'Find out whether this browser shows notices while no page is open',
  who: 'human',
  returns: {
    public_key: z.string().describe('What the browser is to take notices from, in base64url.'),
    endpoint: z.string().nullable().describe('Where this browser is told; null when it is not.'),
  },
  async handle({ db, clock, session, secret }) {
    const subscription = session === null ? null : await findPushSubscription(db, session.id, clock.now())
    return { public_key: serverKeys(secret).publicKey, endpoint: subscription?.endpoint ?? null }
  },
})

const putSubscription = endpoint({
  route: 'PUT /web_push/subscription',
  summary: 'Have this browser show notices while no page is open',
  description:
    'By the Push API, for as long as you are signed in with it. What is told follows your settings for mobile ' +
    'notifications; only the browser can read it.',
  who: 'human',
  params: browserKeys,
  refuses: [noSession, invalidBrowserKeys],
  async handle({ transaction, actor, session }, given) {
    if (session === null) throw noSession()
    const browser = requireBrowserKeys(given)
    await transaction((tx) => savePushSubscription(tx, { sessionId: session.id, userId: actor.id, ...browser }))
    return {}
  },
})

const deleteSubscription = endpoint({
  route: 'DELETE /web_push/subscription',
  summary: 'Have this browser show no notices any more while no page is open',
  who: 'human',
  refuses: [noSession, noSubscription],
  async handle({ transaction, session }) {
    if (session === null) throw noSession()
    const isEnded = await transaction(async (tx) => {
      const subscription = await findPushSubscription(tx.db, session.id, tx.now)
      return subscription !== null && (await deletePushSubscription(tx, subscription))
    })
    if (!isEnded) throw noSubscription()
    return {}
  },
})

export const webPushEndpoints = [getSubscription, putSubscription, deleteSubscription]
