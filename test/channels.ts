import { findRealmGroups } from '#groups/queries.ts'
import type { AnonymousGroup, SystemGroupName } from '#realms/realm-settings.ts'
import type { Chat, Person, ReceivedEvent } from './harness.ts'

/** Returns the complete response of a refusal. */
export function refusalResponse(msg: string, code = 'BAD_REQUEST'): Record<string, unknown> {
  return { status: 400, result: 'error', msg, code }
}

/** Returns a setting that names only these people. */
export function only(...people: readonly Person[]): AnonymousGroup {
  return { direct_members: people.map((person) => person.id), direct_subgroups: [] }
}

export async function systemGroupId(chat: Chat, name: SystemGroupName): Promise<number> {
  return (await findRealmGroups(chat.app.services.db, chat.realm.id)).systemId[name]
}

export async function isSubscribed(person: Person, channel: { id: number }): Promise<boolean> {
  return (await person.succeed(`GET /users/${person.id}/subscriptions/${channel.id}`))['is_subscribed']
}

/** Returns the channel and subscription events that a person received. */
export async function channelEventsOf(chat: Chat, person: Person): Promise<ReceivedEvent[]> {
  const events = await chat.eventsOf(person)
  return events.filter((event) => event.type === 'subscription' || event.type === 'stream')
}

/** Marks the account as deactivated, without any other effects. */
export async function markDeactivated(chat: Chat, person: Person): Promise<void> {
  await chat.app.services.transaction((tx) =>
    tx.updateTable('users').set({ deactivatedAt: tx.now }).where('id', '=', person.id).execute(),
  )
}
