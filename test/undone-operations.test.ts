import { test } from 'node:test'
import { generateSync } from 'otplib'
import { openLog } from '#lib/log.ts'
import { changeRealmSettings } from '#organizations/change-realm-settings.ts'
import { BotType, Role } from '#rules/role.ts'
import { openBrowser, PASSWORD, submitPassword } from './browser.ts'
import { cannotFail, failEachStatement } from './fail-statements.ts'
import { startChat } from './harness.ts'
import { keyOfInvitation } from './joining.ts'
import { sendToChannel } from './messages.ts'

/** Starts a server with two channels, which Ada and Ben are in, and messages that Ben has not read. */
async function startDesign() {
  const chat = await startChat({ log: openLog('silent') })
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  const [design, sales] = [await chat.channel('design', [ada, ben]), await chat.channel('sales', [ada, ben])]
  for (const content of ['one', 'two']) await sendToChannel(ada, design, `@**Ben** ${content}`)
  return { chat, ada, ben, design, sales }
}
type Scene = Awaited<ReturnType<typeof startDesign>>

/** Operations that change several things. */
const operations: Record<string, (scene: Scene) => Promise<() => Promise<{ status: number }>>> = {
  'leaving channels':
    async ({ ben }) =>
    () =>
      ben.call('DELETE /users/me/subscriptions', { subscriptions: ['design', 'sales'] }),
  'removing someone':
    async ({ ada, ben }) =>
    () =>
      ada.call('DELETE /users/me/subscriptions', { subscriptions: ['design'], principals: [ben.id] }),
  'creating a channel':
    async ({ ada, ben }) =>
    () =>
      ada.call('POST /users/me/subscriptions', { subscriptions: [{ name: 'new' }], principals: [ben.id] }),
  inviting:
    async ({ ada, design }) =>
    () =>
      ada.call('POST /invites', { invitee_emails: 'cleo@example.com, dan@example.com', stream_ids: [design.id] }),
  joining: async ({ chat, ada, design }) => {
    const key = await keyOfInvitation(chat, ada, 'cleo@example.com', { stream_ids: [design.id] })
    const body = new URLSearchParams({ key, full_name: 'Cleo', password: PASSWORD }).toString()
    const headers = { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' }
    return () => chat.request({ method: 'POST', path: '/accounts/register/', headers, body })
  },
  'moving messages':
    async ({ ada, sales }) =>
    () =>
      ada.call('PATCH /messages/1', { stream_id: sales.id, topic: 'moved', propagate_mode: 'change_all' }),
  'sending a message':
    async ({ ada }) =>
    () =>
      ada.call('POST /messages', { type: 'stream', to: 'design', topic: 'new', content: '@**all** hello' }),
  'receiving a webhook': async ({ chat, ada }) => {
    const bot = await chat.user('hook-bot', { botType: BotType.incomingWebhook, owner: ada })
    const path = `/api/v1/external/json?stream=design&api_key=${bot.apiKey}`
    return () => chat.request({ method: 'POST', path, headers: { host: 'parley.test' }, body: '{}' })
  },
  'archiving a channel':
    async ({ ada, design }) =>
    () =>
      ada.call(`DELETE /streams/${design.id}`),
  'deactivating a user':
    async ({ ada, ben }) =>
    () =>
      ada.call(`DELETE /users/${ben.id}`),
  'setting up a second factor at a sign-in': async ({ chat, ben }) => {
    await submitPassword(chat, ben)
    const required = { second_factor_required_for: 'everyone', second_factor_grace_days: 0 } as const
    await chat.app.services.transaction((tx) => changeRealmSettings(tx, chat.realm, required))
    const browser = openBrowser(chat)
    await browser.open('/login/')
    const { body: page } = await browser.submit({ email: ben.email, password: PASSWORD })
    const [secret = '', key = ''] = [/secret=([A-Z2-7]+)/, /name="key" value="([^"]+)"/].map(
      (one) => one.exec(page)?.[1],
    )
    const body = new URLSearchParams({ key, code: generateSync({ secret, epoch: chat.clock.now() }) }).toString()
    const cookie = Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join('; ')
    const headers = { host: 'parley.test', cookie, 'content-type': 'application/x-www-form-urlencoded' }
    return () => chat.request({ method: 'POST', path: '/login/second-factor/set-up/', headers, body })
  },
  'deactivating the organization':
    async ({ ada }) =>
    () =>
      ada.call('POST /realm/deactivate'),
}

for (const [title, prepare] of Object.entries(operations)) {
  test(`${title} changes nothing if any statement fails`, { skip: cannotFail }, async () => {
    await failEachStatement(async () => {
      const scene = await startDesign()
      return { chat: scene.chat, perform: await prepare(scene) }
    })
  })
}
