import { type Draft, directDraftKey, newDraftKey, topicDraftKey } from '../messages/drafts.ts'
import { type ConversationRef, toParticipants } from '../messages/narrow.ts'
import { conversationKey } from '../messages/unread.ts'

/**
 * The page that a compose box belongs to: a conversation, a channel, or a page on which the user chooses the
 * recipients.
 */
export type ComposerPage =
  | ConversationRef
  | {
      readonly kind: 'channel'
      readonly channelId: number
      /** The topic that the user sees, or else the latest one in which users wrote; omitted if unknown. */
      readonly suggestedTopic?: string
    }
  | {
      readonly kind: 'any'
      /** The conversation that the user sees; omitted if there is none. */
      readonly suggested?: ConversationRef
      /** True for the page that starts a message: its recipients are chosen first, and sending opens their conversation. */
      readonly isNew?: boolean
      /** True if the compose box is only shown together with messages that the user can reply to. */
      readonly isForReplies?: boolean
    }

/** The recipients of a message. Until they are chosen, `people` is empty. */
export type Destination =
  | { readonly kind: 'channel'; readonly channelId: number | null; readonly topic: string }
  | { readonly kind: 'direct'; readonly people: readonly number[] }

/** Returns the key under which the draft of the page is stored. */
export function draftKeyOf(page: ComposerPage, ownId: number): string {
  switch (page.kind) {
    case 'topic':
      return topicDraftKey(ownId, page.channelId, page.topic)
    case 'channel':
      return `${ownId}.${page.channelId}`
    case 'direct':
      return directDraftKey(ownId, page.people)
    case 'any':
      return page.isNew ? newDraftKey(ownId) : `${ownId}.any`
  }
}

/** Returns the destination of the draft. The page determines the parts that the draft does not set. */
export function destinationOf(page: ComposerPage, draft: Draft): Destination {
  const own = recipientsOfPage(page)
  if (draft.people !== undefined) return { kind: 'direct', people: draft.people }
  const channelId = draft.channelId ?? own.channelId
  if (channelId === undefined) return { kind: 'direct', people: own.people ?? [] }
  return {
    kind: 'channel',
    channelId,
    topic: draft.topic ?? (channelId === own.channelId ? own.topic : undefined) ?? '',
  }
}

/** Returns the recipients of messages on the page, as far as they are known. */
export function recipientsOfPage(page: ComposerPage): Omit<Draft, 'text'> {
  const at = page.kind === 'any' ? page.suggested : page
  if (at === undefined) return {}
  if (at.kind === 'direct') return { people: at.people }
  const topic = at.kind === 'topic' ? at.topic : at.suggestedTopic
  return { channelId: at.channelId, ...(topic !== undefined && { topic }) }
}

/** Returns true if the page shows only the messages of this conversation. */
export const isPageOf = (page: ComposerPage, conversation: ConversationRef): boolean =>
  (page.kind === 'topic' || page.kind === 'direct') && conversationKey(page) === conversationKey(conversation)

/** Returns the conversation of a destination; null if its recipients are not chosen. */
export function conversationOfDestination(destination: Destination, ownId: number): ConversationRef | null {
  if (destination.kind === 'direct')
    return destination.people.length === 0
      ? null
      : { kind: 'direct', people: toParticipants(destination.people, ownId) }
  const { channelId, topic } = destination
  return channelId === null ? null : { kind: 'topic', channelId, topic: topic.trim() }
}
