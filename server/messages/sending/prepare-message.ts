import type { Channel } from '../../channels/channel.ts'
import type { Actor, User } from '../../people/users/user.ts'
import type { Rendering } from '../../platform/markdown/scope.ts'
import type { Db } from '../../platform/storage/storage.ts'
import { requireContent } from '../content/content.ts'
import { type Mentions, requireMentions } from '../content/mentions.ts'
import { renderContent } from '../content/render-content.ts'
import { requireMayMessage } from '../direct-access.ts'
import { requireOpenTopic } from '../topic-access.ts'
import { type Author, authorOf } from './author.ts'
import { requireDirectRecipients } from './direct-recipients.ts'
import { requireSendableChannel } from './send-access.ts'

/** Where a message goes: to a topic of a channel, or to people, its author among them. */
export type Target = { channel: Channel; topic: string } | { channel: null; people: readonly User[] }

/** How the sender's own client recognizes the message in its event queue. */
export type LocalEcho = { queueId: string; localId: string }

/** A message that is checked and rendered, and only has to be saved. */
export type PreparedMessage = {
  author: Author
  target: Target
  content: string
  rendering: Rendering
  mentions: Mentions
  client: string
  isReadBySender: boolean
  localEcho: LocalEcho | null
  /** Whether it is news to an account; to everybody, when absent. */
  isNewsTo?: (userId: number) => boolean
  /** Whether it only tells that somebody joined, or was removed from channels, of which nobody is told by mail. */
  isUnmailed?: boolean
  /** The content of the submessage that makes it a widget, where its text does not say so itself. */
  widget: string | null
}

/** What a client asks to be sent. */
export type MessageRequest = {
  to: { channel: number | string; topic: string } | { people: number[] | string[] }
  content: string
  client: string
  isReadBySender: boolean
  localEcho: LocalEcho | null
  widget?: string | null
  /** Whether the server sends it when nobody waits: rendering it waits, too, where the author has too much rendered. */
  isSentLater?: boolean
}

/** Checks everything and renders, so that saving has nothing to wait for. */
export async function prepareMessage(
  db: Db,
  actor: Actor,
  request: MessageRequest,
  now: number,
): Promise<PreparedMessage> {
  const author = authorOf(actor)
  const { to, client, isReadBySender, localEcho, widget = null, isSentLater = false } = request
  const content = requireContent(request.content)
  const target = 'people' in to ? await findPeople(db, actor, to.people, now) : await findThread(db, actor, to, now)
  const rendering = await renderContent(db, author, content, now, !isSentLater)
  const mentions = await requireMentions(
    db,
    author,
    { content, rendering },
    target.channel === null ? null : target,
    now,
  )
  return { author, target, content, rendering, mentions, client, isReadBySender, localEcho, widget }
}

async function findThread(
  db: Db,
  actor: Actor,
  to: { channel: number | string; topic: string },
  now: number,
): Promise<Target> {
  const topic = requireOpenTopic(actor.realm, to.topic)
  return { channel: await requireSendableChannel(db, actor, to.channel, now), topic }
}

async function findPeople(db: Db, actor: Actor, target: number[] | string[], now: number): Promise<Target> {
  const people = await requireDirectRecipients(db, actor, target, now)
  await requireMayMessage(db, actor, people, now)
  const others = people.filter((user) => user.id !== actor.id)
  return { channel: null, people: [actor, ...others] }
}
