import { Role, type RuleUser } from './role.ts'

// The rules about who may edit, move and delete a message, and for how long. The web client applies the same
// functions to decide what it offers.

/** A time limit of the organization in seconds; null for none. */
type Limit = number | null

/** The part of a message that rules need. Times are in UNIX seconds. */
type RuleMessage = { readonly senderId: number; readonly sentAt: number }

/** Returns whether the message is older than the limit allows. */
export const isPast = ({ sentAt }: Pick<RuleMessage, 'sentAt'>, limit: Limit, now: number): boolean =>
  limit !== null && now > sentAt + limit

/** Returns the reason why the user may not edit the message's content; null if they may. */
export function contentEditProblem(
  userId: number,
  message: RuleMessage,
  { isAllowed, limit }: { isAllowed: boolean; limit: Limit },
  now: number,
): 'not-sender' | 'disabled' | 'too-late' | null {
  if (message.senderId !== userId) return 'not-sender'
  if (!isAllowed) return 'disabled'
  return isPast(message, limit, now) ? 'too-late' : null
}

/**
 * Returns the reason why the user may not delete the message; null if they may. A message from a user's bot counts as
 * the user's own.
 */
export function deletionProblem(
  message: Pick<RuleMessage, 'sentAt'>,
  may: { isOwn: boolean; deletesAny: boolean; deletesOwn: boolean; limit: Limit },
  now: number,
): 'not-permitted' | 'too-late' | null {
  if (may.deletesAny) return null
  if (!may.isOwn || !may.deletesOwn) return 'not-permitted'
  return isPast(message, may.limit, now) ? 'too-late' : null
}

/** Returns whether the user may move messages out of the topic. Any user may move messages out of the empty topic. */
export const mayLeaveTopic = (topic: string, movesTopics: boolean): boolean => topic === '' || movesTopics

/**
 * Returns the maximum age, in seconds, of messages that the user may move; null for any age. Moderators and higher
 * roles may move messages of any age.
 */
export const moveLimitFor = (user: RuleUser, limit: Limit): Limit => (user.role <= Role.moderator ? null : limit)
