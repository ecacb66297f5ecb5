import type { Channel } from '#channels/channel.ts'
import { type Viewer, viewerOf } from '#groups/viewer.ts'
import type { Rendering } from '#markdown/scope.ts'
import type { Actor, User } from '#people/users/user.ts'
import type { Db } from '#storage/storage.ts'
import { requireContent } from '../content/content.ts'
import { type Mentions, requireMentions } from '../content/mentions.ts'
import { renderContent } from '../content/render-content.ts'
import { requireMayMessage } from '../direct-access.ts'
import { requireAllowedTopic } from '../topic-access.ts'
import { type Author, authorOf } from './author.ts'
import { requireDirectRecipients } from './direct-recipients.ts'
import { requireSendableChannel } from './send-access.ts'

/** The destination of a message: a channel topic, or users including the author. */
export type Target = { channel: Channel; topic: string } | { channel: null; people: readonly User[] }

/** The ids by which the sender's client recognizes its own message in its event queue. */
export type LocalEcho = { queueId: string; localId: string }

/** A message that has been checked and rendered, ready to be saved. */
export type PreparedMessage = {
  author: Author
  target: Target
  content: string
  rendering: Rendering
  mentions: Mentions
  client: string
  isReadBySender: boolean
  localEcho: LocalEcho | null
  /** Returns true for recipients who receive the message as unread. Without it, all of them do. */
  isUnreadFor?: (userId: number) => boolean
  /**
   * True for notices about joining a channel or being removed from it. They never cause emails about missed messages.
   */
  skipsMissedMail?: boolean
  /** The content of the submessage that makes the message a widget; null if the text decides. */
  widget: string | null
}

export type MessageRequest = {
  to: { channel: number | string; topic: string } | { people: number[] | string[] }
  content: string
  client: string
  isReadBySender: boolean
  localEcho: LocalEcho | null
  widget?: string | null
  /**
   * True if the server sends the message later, while no client waits. If the author then exceeds the rendering limit,
   * rendering waits instead of being refused.
   */
  isDeferred?: boolean
}

/** Checks the whole request and renders the content, so that saving only needs the database. */
export async function prepareMessage(
  db: Db,
  actor: Actor,
  request: MessageRequest,
  now: number,
): Promise<PreparedMessage> {
  const viewer = viewerOf(db, actor, now)
  const author = authorOf(actor)
  const { to, client, isReadBySender, localEcho, widget = null, isDeferred = false } = request
  const content = requireContent(request.content)
  const target = 'people' in to ? await requireDirectTarget(viewer, to.people) : await requireTopicTarget(viewer, to)
  const rendering = await renderContent(viewer, content, { isLimited: !isDeferred })
  const mentions = await requireMentions(viewer, { content, rendering }, target.channel === null ? null : target)
  return { author, target, content, rendering, mentions, client, isReadBySender, localEcho, widget }
}

async function requireTopicTarget(viewer: Viewer, to: { channel: number | string; topic: string }): Promise<Target> {
  const { actor } = viewer
  const topic = requireAllowedTopic(actor.realm, to.topic)
  return { channel: await requireSendableChannel(viewer, to.channel), topic }
}

async function requireDirectTarget(viewer: Viewer, target: number[] | string[]): Promise<Target> {
  const { actor } = viewer
  const people = await requireDirectRecipients(viewer, target)
  await requireMayMessage(viewer, people)
  const others = people.filter((user) => user.id !== actor.id)
  return { channel: null, people: [actor, ...others] }
}
