import type { CollectedMail } from '#mail/delivery.ts'
import type { Chat, Person } from './harness.ts'

/** The default batching period of emails about missed messages, in seconds. */
export const WAIT = 120

/** Advances the clock and returns all emails to the person, oldest first. */
export async function mailAfter(chat: Chat, seconds: number, person: Person): Promise<CollectedMail[]> {
  await chat.app.jobs.missedMail.settled()
  await chat.clock.advance(seconds)
  return (await chat.mail()).filter(({ to }) => to.includes(person.email))
}

export async function subjectsAfter(chat: Chat, seconds: number, person: Person): Promise<string[]> {
  return (await mailAfter(chat, seconds, person)).map(({ subject }) => subject)
}

/** Makes the person online: registers a client for message events and reports activity. */
export async function arrive(person: Person): Promise<void> {
  await person.succeed('POST /register', { event_types: ['message'] })
  await person.succeed('POST /users/me/presence', { status: 'active', ping_only: true })
}
