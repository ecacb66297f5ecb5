import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors/refusal.ts'
import * as tokens from './change-push-tokens.ts'
import { hasPushToken } from './queries.ts'

const deviceNotRecognized = refusal('INVALID_PUSH_DEVICE_TOKEN', 400, 'Device not recognized')
const pushNotConfigured = refusal('BAD_REQUEST', 400, 'Push notifications are not configured on this server.')

const token = z.string().describe('At most 4,096 characters.')

const postAppleToken = endpoint({
  route: 'POST /users/me/apns_device_token',
  summary: 'Register an Apple device for push notifications',
  description: 'The token is saved, but no notifications are sent yet, as `server_settings` indicates.',
  who: 'human',
  params: { token, appid: z.string() },
  refuses: [tokens.badTokenLength, tokens.badAppleToken, tokens.badAppId],
  async handle({ transaction, actor }, given) {
    const added = { service: 'apns', token: given.token, appId: given.appid } as const
    await transaction((tx) => tokens.addPushToken(tx, actor, added))
    return {}
  },
})

const deleteAppleToken = endpoint({
  route: 'DELETE /users/me/apns_device_token',
  summary: 'Unregister an Apple device',
  who: 'human',
  params: { token },
  refuses: [tokens.badTokenLength, tokens.badAppleToken, tokens.noSuchToken],
  async handle({ transaction, actor }, given) {
    await transaction((tx) => tokens.removePushToken(tx, actor, { service: 'apns', token: given.token }))
    return {}
  },
})

const postAndroidToken = endpoint({
  route: 'POST /users/me/android_gcm_reg_id',
  summary: 'Register an Android device for push notifications',
  description: 'The same as for Apple devices.',
  who: 'human',
  params: { token },
  refuses: [tokens.badTokenLength],
  async handle({ transaction, actor }, given) {
    const added = { service: 'fcm', token: given.token, appId: null } as const
    await transaction((tx) => tokens.addPushToken(tx, actor, added))
    return {}
  },
})

const deleteAndroidToken = endpoint({
  route: 'DELETE /users/me/android_gcm_reg_id',
  summary: 'Unregister an Android device',
  who: 'human',
  params: { token },
  refuses: [tokens.badTokenLength, tokens.noSuchToken],
  async handle({ transaction, actor }, given) {
    await transaction((tx) => tokens.removePushToken(tx, actor, { service: 'fcm', token: given.token }))
    return {}
  },
})

const testNotification = endpoint({
  route: 'POST /mobile_push/test_notification',
  summary: 'Send a test notification to your devices',
  description: 'Always refused, because this server sends no push notifications.',
  who: 'human',
  params: { token: z.string().optional().describe('The device. If omitted, all of your devices.') },
  refuses: [deviceNotRecognized, pushNotConfigured],
  async handle({ db, actor }, given) {
    if (given.token !== undefined && !(await hasPushToken(db, actor.id, given.token))) throw deviceNotRecognized()
    throw pushNotConfigured()
  },
})

export const pushTokenEndpoints = [
  postAppleToken,
  deleteAppleToken,
  postAndroidToken,
  deleteAndroidToken,
  testNotification,
]
