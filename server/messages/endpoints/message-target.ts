import { z } from 'zod'
import { topicCharacter } from '#channels/topic.ts'
import { findSizeError } from '#http/params.ts'
import { badParameter } from '#http/refusals.ts'
import { refusal } from '#lib/errors.ts'
import { topicsRequired } from '../access.ts'
import { messageContainsNull, messageEmpty, unableToRender } from '../content.ts'
import { mayNotMentionChannel, mayNotMentionGroup, mayNotMentionTopic } from '../mentions.ts'
import * as directAccess from '../sending/send-access.ts'
import {
  invalidUserId,
  mayNotPost,
  noChannelNamed,
  noChannelWithId,
  noRecipients,
  notAuthorizedToSend,
} from '../sending/send-access.ts'

export const missingChannel = refusal('BAD_REQUEST', 400, 'Missing channel', { field: 'to' })
export const badChannelTarget = refusal('BAD_REQUEST', 400, 'Invalid data type for channel', { field: 'to' })
export const oneChannelOnly = refusal('BAD_REQUEST', 400, 'Expected exactly one channel', { field: 'to' })
export const badRecipients = refusal('BAD_REQUEST', 400, 'Invalid data type for recipients', { field: 'to' })
export const mixedRecipients = refusal(
  'BAD_REQUEST',
  400,
  'Recipient lists may contain emails or user IDs, but not both.',
  { field: 'to' },
)

/** Reads a channel from `to`: its id, its name as plain text or JSON, or a JSON list with one of these. */
export function readChannelTarget(to: string): number | string {
  const given = readJsonTarget(to)
  const value = Array.isArray(given) ? given[0] : given
  if (Array.isArray(given) && given.length !== 1) throw oneChannelOnly()
  if (typeof value === 'string' || Number.isInteger(value)) return value as number | string
  throw badChannelTarget()
}

/** Reads users from `to`: a JSON list of ids or email addresses, or comma-separated addresses. */
export function readPeopleTarget(to: string): number[] | string[] {
  const given = readJsonTarget(to)
  const list = typeof given === 'string' ? given.split(',') : given
  if (!Array.isArray(list)) throw badRecipients()
  const [first] = list
  if (list.some((value) => typeof value !== typeof first)) throw mixedRecipients()
  if (first === undefined) return []
  if (typeof first === 'string') {
    return (list as string[]).map((address) => address.trim()).filter((address) => address !== '')
  }
  if (!list.every((value) => Number.isInteger(value))) throw badRecipients()
  return list as number[]
}

/** Parses the text as JSON; returns it unchanged if it is not JSON. */
export function readJsonTarget(to: string): unknown {
  const complaint = findSizeError(to)
  if (complaint !== null) throw badParameter({ name: 'to', complaint: `to ${complaint}` })
  try {
    return JSON.parse(to)
  } catch {
    return to
  }
}

export const conflictingArguments = refusal(
  'REQUEST_CONFUSING_VAR',
  400,
  "Can't decide between '{one}' and '{other}' arguments",
  { extras: ({ one, other }: { one: string; other: string }) => ({ var_name1: one, var_name2: other }) },
)

/** The parameters for a topic. Older clients send it as `subject`. */
export const topicParams = {
  topic: z.string().optional().describe('The topic; ignored for direct messages.'),
  subject: z.string().optional().describe('Deprecated name of `topic`.'),
}

/** Returns the topic of the request, if any; refuses requests with both parameters. */
export function readTopicParam({
  topic,
  subject,
}: {
  topic?: string | undefined
  subject?: string | undefined
}): string | undefined {
  if (topic !== undefined && subject !== undefined) throw conflictingArguments({ one: 'topic', other: 'subject' })
  return topic ?? subject
}

/** The refusals that sending and scheduling have in common if the channel or the users are given by ids. */
export const messageRefusals = [
  unableToRender,
  topicCharacter,
  topicsRequired,
  messageEmpty,
  messageContainsNull,
  noChannelWithId,
  noChannelNamed,
  notAuthorizedToSend,
  mayNotPost,
  mayNotMentionChannel,
  mayNotMentionTopic,
  mayNotMentionGroup,
  noRecipients,
  invalidUserId,
  directAccess.recipientDeactivated,
  directAccess.recipientNotVisible,
  directAccess.directMessagesDisabled,
  directAccess.noAuthorizedParticipant,
  directAccess.mayNotInitiate,
]

/** The names, in lower case, of the clients in which users see the messages that they send. */
const interactiveClients = new Set([
  'android',
  'ios',
  'snipe',
  'website',
  'zulipandroid',
  'zulipdesktop',
  'zulipelectron',
  'zulipflutter',
  'zulipios',
  'zulipmobile',
  'zulipterminal',
])

/** Returns true if messages from this client count as read by their sender, unless the request says otherwise. */
export function isReadByDefault(client: string): boolean {
  const name = client.toLowerCase()
  return interactiveClients.has(name) || name.includes('desktop app')
}
