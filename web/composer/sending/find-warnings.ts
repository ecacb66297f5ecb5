import { Role } from '#rules/role.ts'
import { isResolved } from '#rules/topics.ts'
import { isSameTopic, topicTitle } from '../../messages/narrow.ts'
import type { Organization, Person } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import type { Destination } from '../destination.ts'
import { type RecipientFacts, type Warning, wildcardWarnings } from './warning.ts'

const MENTION = /@\*\*([^*|\n]+)(?:\|(\d+))?\*\*/g

/** Returns warnings about a message, most important first. */
export function findWarnings(text: string, destination: Destination, facts: RecipientFacts): Warning[] {
  if (text.trim() === '') return []
  if (destination.kind === 'direct') return [...guestWarnings(destination.people, facts), ...foldWarnings(text)]
  const { channelId, topic } = destination
  const channel = facts.organization.subscriptions.find(({ stream_id }) => stream_id === channelId)
  if (channel === undefined) return []
  return [
    ...wildcardWarnings(text, channel.name, facts),
    ...missingPeople(text, facts).map((person) => missingWarning(person, channel.name, facts.mayAddPeople)),
    ...topicWarnings(topic.trim(), facts),
    ...foldWarnings(text),
  ]
}

function missingPeople(text: string, { organization, subscribers }: RecipientFacts): Person[] {
  if (subscribers === undefined) return []
  const people = [...text.matchAll(MENTION)].flatMap(([, name, id]) => findPerson(organization, name!, id) ?? [])
  return [...new Set(people)].filter(({ user_id }) => !subscribers.has(user_id))
}

function findPerson({ realm_users }: Organization, name: string, id: string | undefined): Person | undefined {
  if (id !== undefined) return realm_users.find(({ user_id }) => user_id === Number(id))
  const plain = name.toLowerCase()
  return realm_users.find(({ full_name }) => full_name.toLowerCase() === plain)
}

const missingWarning = ({ user_id, full_name: name }: Person, channel: string, mayAdd: boolean): Warning => ({
  key: `missing ${user_id}`,
  kind: 'warn',
  text: t('{name} isn’t in #{channel} and won’t see this.', { name, channel }),
  ...(mayAdd && { fix: { label: t('Add to channel'), action: 'subscribe', userId: user_id } as const }),
})

function topicWarnings(topic: string, { topics, movedTo }: RecipientFacts): Warning[] {
  if (isResolved(topic))
    return [
      {
        key: 'resolved',
        kind: 'warn',
        text: t('This topic is resolved. You can still post in it.'),
        fix: { label: t('Unresolve topic'), action: 'unresolve' },
      },
    ]
  const isNew = topic !== '' && isWithoutMessages(topic, topics)
  if (isNew && movedTo !== undefined) {
    const { channelId, channel, topic: name } = movedTo
    return [
      {
        key: 'moved topic',
        kind: 'warn',
        text: t('The messages of “{from}” were moved to #{channel} › {topic}.', {
          from: topic,
          channel,
          topic: topicTitle(name),
        }),
        fix: { label: t('Write there'), action: 'follow', channelId, topic: name },
      },
    ]
  }
  return isNew ? [{ key: 'new topic', kind: 'info', text: t('“{topic}” is a new topic.', { topic }) }] : []
}

/** Returns true if the channel has no such topic; false if its topics are not known. */
export const isWithoutMessages = (topic: string, topics: RecipientFacts['topics']): boolean =>
  topics?.every((name) => !isSameTopic(name, topic)) === true

/** The number of lines from which most windows show only the beginning of a message, and the characters of a line. */
const FOLDED_LINES = 40
const LINE = 90

function foldWarnings(text: string): Warning[] {
  const lines = text.split('\n').reduce((count, line) => count + Math.max(1, Math.ceil(line.length / LINE)), 0)
  return lines > FOLDED_LINES
    ? [
        {
          key: 'fold',
          kind: 'info',
          text: t('Readers see the beginning of this message, and a button to show the rest.'),
        },
      ]
    : []
}

function guestWarnings(people: readonly number[], { organization }: RecipientFacts): Warning[] {
  if (!organization.realm_enable_guest_user_dm_warning) return []
  const guests = organization.realm_users.filter(({ user_id, role }) => role === Role.guest && people.includes(user_id))
  return guests.map(({ user_id, full_name: name }) => ({
    key: `guest ${user_id}`,
    kind: 'info',
    text: t('{name} is a guest in this organization.', { name }),
  }))
}
