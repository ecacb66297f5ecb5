import assert from 'node:assert/strict'
import type { Chat } from './harness.ts'

const LINK = /https?:\/\/parley\.test(\/accounts\/(?:confirm_new_email|undo_new_email|password\/reset)\/[^\s/]+\/?)/

/** Returns the path of the link in the last email to the address that contains one; undefined if there is none. */
export async function findMailedLink(chat: Chat, email: string): Promise<string | undefined> {
  const mails = (await chat.mail()).filter(({ to }) => to.includes(email))
  return mails.map(({ text }) => LINK.exec(text)?.[1]).findLast((path) => path !== undefined)
}

/** Returns the path of the link in the last email to the address. */
export async function requireMailedLink(chat: Chat, email: string): Promise<string> {
  const path = await findMailedLink(chat, email)
  assert(path !== undefined, `no mail with a link to ${email}`)
  return path
}

/** Presses the button on the page of a link. */
export const press = (chat: Chat, path: string, body = '') =>
  chat.request({
    method: 'POST',
    path,
    headers: { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' },
    body,
  })

/** Follows the link that confirms the address. */
export async function confirmEmailChange(chat: Chat, email: string): Promise<void> {
  const answer = await press(chat, await requireMailedLink(chat, email))
  assert.equal(answer.status, 200, answer.body)
}
