import type { Chat, Person } from './harness.ts'

/** Invites people to nothing but the organization, unless `params` say otherwise. */
export async function invite(person: Person, emails: string, params: Record<string, unknown> = {}) {
  return person.call('POST /invites', { invitee_emails: emails, stream_ids: [], ...params })
}

/** To whom mails were sent. */
export async function recipients(chat: Chat): Promise<string[]> {
  return (await chat.mail()).map(({ to }) => to.join()).toSorted()
}
