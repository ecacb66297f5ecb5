import type { Actor } from '../../people/users/user.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import type { Rendering } from '../../platform/markdown/scope.ts'
import type { Db } from '../../platform/storage/storage.ts'
import { type ReadableMessage, requireChangeableMessage } from '../access.ts'
import { requireEditedContent } from '../content/content.ts'
import { type Mentions, requireMentions } from '../content/mentions.ts'
import { renderContent } from '../content/render-content.ts'
import type { Message } from '../message.ts'
import { findSubmessages } from '../reading/fetch.ts'
import { authorOf } from '../sending/author.ts'
import { cutTopic, meantTopic, namesResolvedEmptyTopic } from '../topic.ts'
import { requireOpenTopic } from '../topic-access.ts'
import { requireDestination, requireMayChangeTopic, requireMayEditContent } from './edit-access.ts'
import { requireMovable } from './movable-messages.ts'
import type { Move, PropagateMode } from './move.ts'

export const nothingToChange = refusal('BAD_REQUEST', 400, 'Nothing to change')
export const noTopicsInDirectMessages = refusal('BAD_REQUEST', 400, 'Direct messages cannot have topics.')
export const directMessagesStay = refusal('BAD_REQUEST', 400, 'Direct messages cannot be moved to channels.')
export const propagateNothing = refusal('BAD_REQUEST', 400, 'Invalid propagate_mode without topic edit')
export const generalChatStays = refusal('BAD_REQUEST', 400, 'General chat cannot be marked as resolved')
export const contentStays = refusal('BAD_REQUEST', 400, 'Cannot change message content while changing channel')
export const widgetStays = refusal('BAD_REQUEST', 400, 'Widgets cannot be edited.')

export type EditRequest = {
  content?: string | undefined
  topic?: string | undefined
  channelId?: number | undefined
  mode: PropagateMode
  notifiesOldTopic: boolean
  notifiesNewTopic: boolean
}

export type NewContent = { content: string; rendering: Rendering; mentions: Mentions }

/** An edit that is checked and rendered; either part may be absent, and both are when nothing is to change. */
export type PreparedEdit = {
  actor: Actor
  messageId: number
  request: EditRequest
  /** The message when it was prepared. */
  basis: Message
  newContent: NewContent | null
  move: Move | null
}

/** Checks the whole edit and renders, so that applying it has nothing to wait for. */
export async function prepareEdit(
  db: Db,
  actor: Actor,
  messageId: number,
  given: EditRequest,
  now: number,
): Promise<PreparedEdit> {
  const readable = await requireChangeableMessage(db, actor, messageId, now)
  const request = withoutSameTopic(readable.message, given)
  requireSensible(readable, request)
  const { content } = request
  if (content !== undefined && (await findSubmessages(db, messageId)).length > 0) throw widgetStays()
  const newContent = await prepareContent(db, actor, readable, request, now)
  const move = await prepareMove(db, actor, readable, request, now)
  if (move !== null) await requireMovable(db, actor, readable.message, move, now)
  return { actor, messageId, request: given, basis: readable.message, newContent, move }
}

/** The topic that the message has already is no change; direct messages have the topic without a name. */
function withoutSameTopic(message: Message, request: EditRequest): EditRequest {
  const isSame = request.topic !== undefined && cutTopic(meantTopic(request.topic)) === message.topic
  return isSame ? { ...request, topic: undefined } : request
}

function requireSensible({ conversation }: ReadableMessage, { content, topic, channelId, mode }: EditRequest): void {
  if (content === undefined && topic === undefined && channelId === undefined) {
    throw mode === 'change_one' ? nothingToChange() : propagateNothing()
  }
  if (conversation.channel === null && channelId !== undefined) throw directMessagesStay()
  if (conversation.channel === null && topic !== undefined) throw noTopicsInDirectMessages()
  if (mode !== 'change_one' && topic === undefined && channelId === undefined) throw propagateNothing()
  if (topic !== undefined && namesResolvedEmptyTopic(topic)) throw generalChatStays()
  if (channelId !== undefined && channelId !== conversation.channel?.id && content !== undefined) throw contentStays()
}

async function prepareContent(
  db: Db,
  actor: Actor,
  { message, conversation }: ReadableMessage,
  request: EditRequest,
  now: number,
): Promise<NewContent | null> {
  if (request.content === undefined) return null
  requireMayEditContent(actor, message, now)
  const content = requireEditedContent(request.content)
  if (content === message.content) return null
  const author = authorOf(actor)
  const rendering = await renderContent(db, author, content, now)
  const channelTopic = conversation.channel === null ? null : conversation
  return { content, rendering, mentions: await requireMentions(db, author, { content, rendering }, channelTopic, now) }
}

/** Null when the message is to stay where it is. */
async function prepareMove(
  db: Db,
  actor: Actor,
  { message, conversation }: ReadableMessage,
  request: EditRequest,
  now: number,
): Promise<Move | null> {
  if (conversation.channel === null) return null
  const topic = request.topic === undefined ? message.topic : requireOpenTopic(actor.realm, request.topic)
  if (topic !== message.topic) await requireMayChangeTopic(db, actor, message, topic, now)
  const { channelId = conversation.channel.id, mode, notifiesNewTopic, notifiesOldTopic } = request
  const isElsewhere = channelId !== conversation.channel.id
  const channel = isElsewhere ? await requireDestination(db, actor, message, channelId, now) : conversation.channel
  if (topic === message.topic && !isElsewhere) return null
  return { from: conversation, to: { channel, topic }, mode, notifiesOldTopic, notifiesNewTopic }
}
