import { Role } from '#rules/role.ts'
import { logIn, openBrowser, PASSWORD } from './browser.ts'
import { type Chat, type Person, startChat } from './harness.ts'

/** Invites an address and returns the key of its link. */
export async function keyOfInvitation(
  chat: Chat,
  inviter: Person,
  email: string,
  params: Record<string, unknown> = {},
): Promise<string> {
  await inviter.succeed('POST /invites', { invitee_emails: email, stream_ids: [], ...params })
  const { text } = (await chat.mail()).at(-1) ?? { text: '' }
  return /do_confirm\/([a-z2-7]{32})/.exec(text)?.[1] ?? ''
}

/** Creates a reusable link and returns its key. */
export async function keyOfLink(inviter: Person, params: Record<string, unknown> = {}): Promise<string> {
  const { invite_link } = await inviter.succeed('POST /invites/multiuse', params)
  return invite_link.split('/').at(-2)
}

/**
 * Submits the form of an invitation: returns 'in' if an account was created, 'log in' if the address has one; otherwise
 * the error of the form, or the heading of the page.
 */
export async function accept(
  chat: Chat,
  key: string,
  { email = '', name = 'New', realm = chat.realm }: { email?: string; name?: string; realm?: Chat['realm'] } = {},
): Promise<string> {
  const host = realm.subdomain === '' ? 'parley.test' : `${realm.subdomain}.parley.test`
  const answer = await chat.request({
    method: 'POST',
    path: '/accounts/register/',
    headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ key, email, full_name: name, password: PASSWORD }).toString(),
  })
  if (answer.status === 302) return answer.headers['location'] === '/' ? 'in' : 'log in'
  const [, complaint] = /class="error"[^>]*>([^<]*)</.exec(answer.body) ?? []
  const [, heading = ''] = /<h1>([^<]*)</.exec(answer.body) ?? []
  return complaint ?? heading
}

/** Returns the account with this address, as an owner sees it. */
export async function memberOf(person: Person, email: string) {
  const { members } = await person.succeed('GET /users')
  return members.find((member: { delivery_email: string }) => member.delivery_email === email)
}

export async function channelNamesOf(chat: Chat, email: string): Promise<string[]> {
  const { subscriptions } = await (await logIn(chat, email)).call('GET /users/me/subscriptions')
  return subscriptions.map(({ name }: { name: string }) => name).sort()
}

/** Starts a server with Ada, who owns the organization, and a new browser. */
export async function startWithOwner(settings = {}) {
  const chat = await startChat({ settings })
  return { chat, ada: await chat.user('ada', { role: Role.owner }), browser: openBrowser(chat) }
}

/** Returns the page of an invitation by email. */
export const doConfirm = (key: string) => `/accounts/do_confirm/${key}`
export const joinBy = (key: string) => `/join/${key}/`
