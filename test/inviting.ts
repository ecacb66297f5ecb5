import type { Chat, Person } from './harness.ts'

/** Invites people without channels, unless `params` contain some. */
export async function invite(person: Person, emails: string, params: Record<string, unknown> = {}) {
  return person.call('POST /invites', { invitee_emails: emails, stream_ids: [], ...params })
}

/** Returns the recipients of the sent emails. */
export async function recipients(chat: Chat): Promise<string[]> {
  return (await chat.mail()).map(({ to }) => to.join()).toSorted()
}
