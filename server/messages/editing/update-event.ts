import type { TopicLink } from '#markdown/linkifier.ts'
import { isMeMessage } from '#markdown/render.ts'
import type { Actor } from '#people/users.ts'
import type { EmittedOfType, Transaction } from '#storage/storage.ts'
import type { MessageAudience } from '../events.ts'
import { toUpdateFlagsJson } from '../flags.ts'
import type { ConversationRef, Message } from '../message.ts'
import { changesChannel, type Move } from './edit-access.ts'
import type { NewContent } from './prepare-edit.ts'

/** An edit or move in the event log. It does not have the flags, which differ between users. */
export type UpdateEvent = Writable<Omit<EmittedOfType<'update_message'>, 'flags'>>

type Writable<Event> = { -readonly [Name in keyof Event]: Event[Name] }

/** Returns the fields that the events of all edits have. `message` and the conversation are as before the edit. */
export function updateEvent(actor: Actor, message: Message, { channel }: ConversationRef, now: number): UpdateEvent {
  const channelTopic = channel === null ? {} : { stream_id: channel.id, stream_name: channel.name }
  return {
    type: 'update_message',
    user_id: actor.id,
    edit_timestamp: Math.floor(now),
    message_id: message.id,
    message_ids: [message.id],
    rendering_only: false,
    ...channelTopic,
  }
}

export function contentFields(before: Message, { content, rendering }: NewContent): Partial<UpdateEvent> {
  return {
    orig_content: before.content,
    orig_rendered_content: before.renderedContent,
    content,
    rendered_content: rendering.html,
    is_me_message: isMeMessage(content),
  }
}

export function moveFields(
  move: Move,
  messageIds: readonly number[],
  links: readonly TopicLink[],
): Partial<UpdateEvent> {
  const { from, to, mode } = move
  return {
    message_ids: messageIds,
    propagate_mode: mode,
    orig_subject: from.topic,
    ...(to.topic !== from.topic && { subject: to.topic, topic_links: links }),
    ...(changesChannel(move) && { new_stream_id: to.channel.id }),
  }
}

/** Emits one event for each group of users with the same flags. */
export function emitMessageUpdate(
  tx: Transaction,
  realmId: number,
  event: UpdateEvent,
  audience: MessageAudience,
): void {
  for (const [flags, userIds] of audience) tx.emit(realmId, { ...event, flags: toUpdateFlagsJson(flags) }, userIds)
}

/**
 * Like `emitMessageUpdate`, for a move to another channel. Users outside the old audience do not get the old channel's
 * name.
 */
export function emitChannelMove(
  tx: Transaction,
  realmId: number,
  event: UpdateEvent,
  audience: MessageAudience,
  oldAudience: ReadonlySet<number>,
): void {
  const { stream_name: _, ...nameless } = event
  const partOf = (belongs: (id: number) => boolean): MessageAudience =>
    new Map(Array.from(audience, ([flags, userIds]) => [flags, userIds.filter(belongs)]))
  emitMessageUpdate(
    tx,
    realmId,
    event,
    partOf((id) => oldAudience.has(id)),
  )
  emitMessageUpdate(
    tx,
    realmId,
    nameless,
    partOf((id) => !oldAudience.has(id)),
  )
}
