import { type Draft, directDraftKey, topicDraftKey } from '../../store/drafts/drafts.ts'
import { type ConversationRef, toParticipants } from '../../store/messages/narrow.ts'

/**
 * The page that a compose box belongs to: a conversation, a channel, or a page on which the user chooses the
 * recipients.
 */
export type ComposerPage =
  | ConversationRef
  | {
      readonly kind: 'channel'
      readonly channelId: number
      /** The latest topic in which users wrote; omitted if unknown. */
      readonly suggestedTopic?: string
    }
  | { readonly kind: 'any' }

/** The recipients of a message. Until they are chosen, `channelId` is null or `people` is empty. */
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
      return `${ownId}.any`
  }
}

/** Returns the destination of the draft. The page determines the parts that the draft does not set. */
export function destinationOf(page: ComposerPage, draft: Draft): Destination {
  if (page.kind === 'direct') return { kind: 'direct', people: page.people }
  if (draft.people !== undefined) return { kind: 'direct', people: draft.people }
  const ownChannelId = page.kind === 'any' ? null : page.channelId
  const ownTopic = page.kind === 'topic' ? page.topic : page.kind === 'channel' ? page.suggestedTopic : undefined
  const channelId = draft.channelId ?? ownChannelId
  return { kind: 'channel', channelId, topic: draft.topic ?? (channelId === ownChannelId ? ownTopic : undefined) ?? '' }
}

/** Returns the conversation of a destination; null if its recipients are not chosen. */
export function conversationOfDestination(destination: Destination, ownId: number): ConversationRef | null {
  if (destination.kind === 'direct')
    return destination.people.length === 0
      ? null
      : { kind: 'direct', people: toParticipants(destination.people, ownId) }
  const { channelId, topic } = destination
  return channelId === null ? null : { kind: 'topic', channelId, topic: topic.trim() }
}
