import type { CollectedMail } from '../server/delivery/mail/mailbox.ts'
import type { Chat, Person } from './harness.ts'

/** How long people wait for more before they are mailed, unless they chose otherwise. */
export const WAIT = 120

/** The mails that somebody has when so much time has passed, oldest first. */
export async function mailAfter(chat: Chat, seconds: number, person: Person): Promise<CollectedMail[]> {
  await chat.app.missedMailWorker.settled()
  await chat.clock.advance(seconds)
  return (await chat.mail()).filter(({ to }) => to.includes(person.email))
}

export async function subjectsAfter(chat: Chat, seconds: number, person: Person): Promise<string[]> {
  return (await mailAfter(chat, seconds, person)).map(({ subject }) => subject)
}

/** Has somebody be there: a client that hears of messages, and a report that they are at their device. */
export async function arrive(person: Person): Promise<void> {
  await person.succeed('POST /register', { event_types: ['message'] })
  await person.succeed('POST /users/me/presence', { status: 'active', ping_only: true })
}
