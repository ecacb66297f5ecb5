import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors/refusal.ts'
import {
  deletePushSubscription,
  findPushSubscription,
  savePushSubscription,
} from '#messages/notices/push-subscription-queries.ts'
import { browserKeys, invalidBrowserKeys, requireBrowserKeys } from './browser-keys.ts'
import { serverKeys } from './server-keys.ts'

const noSession = refusal('BAD_REQUEST', 400, 'Log in with the browser that should show notifications')
const noSubscription = refusal('BAD_REQUEST', 400, 'This browser has no push subscription')

const getSubscription = endpoint({
  route: 'GET /web_push/subscription',
  summary: 'Get the push subscription of this browser',
  who: 'human',
  returns: {
    public_key: z.string().describe('The public key of the server for push subscriptions, in base64url.'),
    endpoint: z.string().nullable().describe('The push address of this browser; null if it has no subscription.'),
  },
  async handle({ db, clock, session, secret }) {
    const subscription = session === null ? null : await findPushSubscription(db, session.id, clock.now())
    return { public_key: serverKeys(secret).publicKey, endpoint: subscription?.endpoint ?? null }
  },
})

const putSubscription = endpoint({
  route: 'PUT /web_push/subscription',
  summary: 'Subscribe this browser to push notifications',
  description:
    'The browser shows notifications while no page is open, for as long as you are logged in there. Your settings for mobile ' +
    'notifications apply. Only the browser can read the notifications.',
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
  summary: 'Unsubscribe this browser from push notifications',
  who: 'human',
  refuses: [noSession, noSubscription],
  async handle({ transaction, session }) {
    if (session === null) throw noSession()
    const isDeleted = await transaction(async (tx) => {
      const subscription = await findPushSubscription(tx.db, session.id, tx.now)
      return subscription !== null && (await deletePushSubscription(tx, subscription))
    })
    if (!isDeleted) throw noSubscription()
    return {}
  },
})

export const webPushEndpoints = [getSubscription, putSubscription, deleteSubscription]
