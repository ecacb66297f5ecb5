import { isResolvedEmptyTopic, normalizeTopic } from '#channels/topic.ts'
import { type Viewer, viewerOf } from '#groups/viewer.ts'
import { refusal } from '#lib/errors.ts'
import { linkPreviewsIn } from '#markdown/previews.ts'
import type { Rendering } from '#markdown/scope.ts'
import type { Actor } from '#people/users.ts'
import { truncateTopic } from '#rules/topics.ts'
import type { Db } from '#storage/storage.ts'
import { type ReadableMessage, requireAllowedTopic, requireChangeableMessage } from '../access.ts'
import { renderContent, requireEditedContent } from '../content.ts'
import { type Mentions, requireMentions } from '../mentions.ts'
import type { Message } from '../message.ts'
import { findSubmessages } from '../queries.ts'
import {
  type Move,
  type PropagateMode,
  requireDestination,
  requireMayChangeTopic,
  requireMayEditContent,
  requireMovable,
} from './edit-access.ts'

export const nothingToChange = refusal('BAD_REQUEST', 400, 'Nothing to change')
export const noTopicsInDirectMessages = refusal('BAD_REQUEST', 400, 'Direct messages cannot have topics.')
export const cannotMoveDirectMessages = refusal('BAD_REQUEST', 400, 'Direct messages cannot be moved to channels.')
export const propagateModeWithoutMove = refusal('BAD_REQUEST', 400, 'Invalid propagate_mode without topic edit', {
  field: 'propagate_mode',
})
export const cannotResolveGeneralChat = refusal('BAD_REQUEST', 400, 'General chat cannot be marked as resolved')
export const contentChangedWithChannel = refusal(
  'BAD_REQUEST',
  400,
  'Cannot change message content while changing channel',
)
export const cannotEditWidget = refusal('BAD_REQUEST', 400, 'Widgets cannot be edited.')

export type EditRequest = {
  content?: string | undefined
  topic?: string | undefined
  channelId?: number | undefined
  mode: PropagateMode
  notifiesOldTopic: boolean
  notifiesNewTopic: boolean
}

export type NewContent = { content: string; rendering: Rendering; mentions: Mentions }

/**
 * An edit that has been checked and rendered. `newContent` is null if the content stays the same, and `move` is null if
 * the message stays in its conversation.
 */
export type PreparedEdit = {
  actor: Actor
  messageId: number
  request: EditRequest
  /** The message at the time when the edit was prepared. */
  original: Message
  newContent: NewContent | null
  move: Move | null
}

/** Checks the whole edit and renders the content, so that applying it only needs the database. */
export async function prepareEdit(
  db: Db,
  actor: Actor,
  messageId: number,
  given: EditRequest,
  now: number,
): Promise<PreparedEdit> {
  const viewer = viewerOf(db, actor, now)
  const readable = await requireChangeableMessage(viewer, messageId)
  const request = withoutSameTopic(readable.message, given)
  requireConsistent(readable, request)
  const { content } = request
  if (content !== undefined && (await findSubmessages(db, messageId)).length > 0) throw cannotEditWidget()
  const newContent = await prepareContent(viewer, readable, request)
  const move = await prepareMove(viewer, readable, request)
  if (move !== null) await requireMovable(viewer, readable.message, move)
  return { actor, messageId, request: given, original: readable.message, newContent, move }
}

/** Drops the topic from the request if the message already has it. Direct messages have the empty topic. */
function withoutSameTopic(message: Message, request: EditRequest): EditRequest {
  const isSame = request.topic !== undefined && truncateTopic(normalizeTopic(request.topic)) === message.topic
  return isSame ? { ...request, topic: undefined } : request
}

function requireConsistent({ conversation }: ReadableMessage, { content, topic, channelId, mode }: EditRequest): void {
  if (content === undefined && topic === undefined && channelId === undefined) {
    throw mode === 'change_one' ? nothingToChange() : propagateModeWithoutMove()
  }
  if (conversation.channel === null && channelId !== undefined) throw cannotMoveDirectMessages()
  if (conversation.channel === null && topic !== undefined) throw noTopicsInDirectMessages()
  if (mode !== 'change_one' && topic === undefined && channelId === undefined) throw propagateModeWithoutMove()
  if (topic !== undefined && isResolvedEmptyTopic(topic)) throw cannotResolveGeneralChat()
  if (channelId !== undefined && channelId !== conversation.channel?.id && content !== undefined)
    throw contentChangedWithChannel()
}

async function prepareContent(
  viewer: Viewer,
  { message, conversation }: ReadableMessage,
  request: EditRequest,
): Promise<NewContent | null> {
  const { actor, now } = viewer
  if (request.content === undefined) return null
  requireMayEditContent(actor, message, now)
  const content = requireEditedContent(request.content)
  if (content === message.content) return null
  const rendering = await renderContent(viewer, content, { linkPreviews: linkPreviewsIn(message.renderedContent) })
  const channelTopic = conversation.channel === null ? null : conversation
  return {
    content,
    rendering,
    mentions: await requireMentions(viewer, { content, rendering }, channelTopic),
  }
}

/** Returns the move that the request asks for; null if the message stays in its conversation. */
async function prepareMove(
  viewer: Viewer,
  { message, conversation }: ReadableMessage,
  request: EditRequest,
): Promise<Move | null> {
  const { actor } = viewer
  if (conversation.channel === null) return null
  const topic = request.topic === undefined ? message.topic : requireAllowedTopic(actor.realm, request.topic)
  if (topic !== message.topic) await requireMayChangeTopic(viewer, message, topic)
  const { channelId = conversation.channel.id, mode, notifiesNewTopic, notifiesOldTopic } = request
  const isOtherChannel = channelId !== conversation.channel.id
  const channel = isOtherChannel ? await requireDestination(viewer, message, channelId) : conversation.channel
  if (topic === message.topic && !isOtherChannel) return null
  return { from: conversation, to: { channel, topic }, mode, notifiesOldTopic, notifiesNewTopic }
}
