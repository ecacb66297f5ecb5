import { hasContentAccess, hasMetadataAccess } from '../../channels/access.ts'
import type { Channel } from '../../channels/channel.ts'
import { channelNameKey } from '../../channels/channel-name.ts'
import { findChannelsByName } from '../../channels/queries.ts'
import { findSubscriptionStatuses } from '../../channels/subscription-status-queries.ts'
import { findMembershipScope } from '../../groups/membership.ts'
import { findRealmGroups } from '../../groups/queries.ts'
import { findVisibleUserIds } from '../../groups/visible-users.ts'
import { emojiUrl, findRealmEmoji } from '../../organizations/realms/emoji-queries.ts'
import { extraEmojiUrl, isExtraEmoji } from '../../organizations/realms/extra-emoji.ts'
import { findLinkifiers } from '../../organizations/realms/linkifier-queries.ts'
import { realmAddress } from '../../organizations/realms/realm.ts'
import { isVisible, turnOf } from '../../people/users/user.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import type { Requester } from '../../platform/jobs/fair-queue.ts'
import { pathIdsNamedIn } from '../../platform/markdown/links/upload-links.ts'
import { type MentionCandidates, mentionCandidates } from '../../platform/markdown/mention-names.ts'
import { renderMarkdown } from '../../platform/markdown/render.ts'
import { renderInWorker } from '../../platform/markdown/render-in-worker.ts'
import { CannotRender } from '../../platform/markdown/render-thread.ts'
import type { Rendering, RenderScope } from '../../platform/markdown/scope.ts'
import type { Db } from '../../platform/storage/storage.ts'
import { findReadableAttachments } from '../attachments/access.ts'
import { pathIdOf } from '../attachments/attachment.ts'
import { toPreview } from '../attachments/preview.ts'
import { type Author, actorOf, isSystemBot } from '../sending/author.ts'
import { MAX_MESSAGE_LENGTH } from './content.ts'
import { findMentionableUsers, type MentionableUser } from './mentionable-users.ts'
import { findFirstIn, type LinkedTopic } from './topic-links.ts'

export const unableToRender = refusal('BAD_REQUEST', 400, 'Unable to render message')

/** UTF-16 units of HTML: few characters, of a table in a formula above all, can make very many. */
const MAX_RENDERED_LENGTH = 50 * MAX_MESSAGE_LENGTH

/**
 * The text as HTML, with whom it mentions; people, channels and groups that its author may not know of stay text. Refused
 * when that takes too much work, or comes out too long. `isLimited` is false for what the server sends later, which waits
 * instead of being refused when its author has too much rendered.
 */
export async function renderContent(
  db: Db,
  author: Author,
  content: string,
  now: number,
  isLimited = true,
): Promise<Rendering> {
  const turn = turnOf(author.user, isLimited && db.settings.RATE_LIMITING)
  const rendering = await renderInScope(content, await loadScope(db, author, content, now), turn)
  if (rendering === null) throw unableToRender()
  return rendering
}

/** Of what is known beforehand; null when it takes too much work, or comes out too long. */
export async function renderInScope(content: string, scope: RenderScope, turn: Requester): Promise<Rendering | null> {
  try {
    const rendering = await renderInWorker(content, scope, turn)
    return rendering.html.length <= MAX_RENDERED_LENGTH ? rendering : null
  } catch (error) {
    if (error instanceof CannotRender) return null
    throw error
  }
}

/** As `renderContent` for a line of the server's own, within a transaction: formulas and code keep their sources. */
export async function renderNotice(db: Db, author: Author, content: string, now: number): Promise<Rendering> {
  return renderMarkdown(content, await loadScope(db, author, content, now))
}

/** What the text may refer to, so that rendering it has nothing to wait for. */
async function loadScope(db: Db, author: Author, content: string, now: number): Promise<RenderScope> {
  const { user, realm } = author
  const candidates = mentionCandidates(content)
  const { compiled } = await findLinkifiers(db, realm.id)
  const known = await findKnownChannels(db, author, candidates, now)
  return {
    realmUrl: realmAddress(realm.subdomain, db.settings.EXTERNAL_URL).url,
    ...(await userLookups(db, author, candidates, now)),
    findGroupByName: await groupLookup(db, author, candidates),
    findChannelByName: (name) => known.get(channelNameKey(name))?.channel ?? null,
    findFirstIn: await findFirstIn(db, author, linkedTopics(known, candidates)),
    findCustomEmoji: await emojiLookup(db, author),
    linkifiers: compiled,
    translateEmoticons: user.settings.translate_emoticons,
    writers: null,
    codeLanguage: realm.settings.default_code_block_language,
    previewsMedia: realm.settings.inline_image_preview,
    images: await findImages(db, author, content, now),
  }
}

async function userLookups(
  db: Db,
  author: Author,
  { userNames }: MentionCandidates,
  now: number,
): Promise<Pick<RenderScope, 'findUserByName' | 'findUserById'>> {
  if (userNames.length === 0) return { findUserByName: () => null, findUserById: () => null }
  const { byId, byName } = await findMentionableUsers(db, author.realm.id)
  const visibleIds = isSystemBot(author) ? null : await findVisibleUserIds(db, actorOf(author), now)
  const seen = (user: MentionableUser | undefined) => (user !== undefined && isVisible(visibleIds, user) ? user : null)
  return {
    findUserByName: (name) => seen(byName.get(name.toLowerCase())),
    findUserById: (id) => seen(byId.get(id)),
  }
}

async function groupLookup(
  db: Db,
  { realm }: Author,
  { groupNames }: MentionCandidates,
): Promise<RenderScope['findGroupByName']> {
  if (groupNames.length === 0) return () => null
  const groups = [...(await findRealmGroups(db, realm.id)).byId.values()]
  return (name) => {
    const named = groups.filter((group) => group.name.toLowerCase() === name.toLowerCase())
    const group = named.find(({ deactivatedAt }) => deactivatedAt === null) ?? named[0]
    return group === undefined ? null : { id: group.id, name: group.name, isSilent: group.deactivatedAt !== null }
  }
}

/** A channel that the author may know of, and whether they may read in it. */
type KnownChannel = { channel: Channel; isReadable: boolean }

/** By their names in lower case. */
async function findKnownChannels(
  db: Db,
  author: Author,
  { channelNames }: MentionCandidates,
  now: number,
): Promise<ReadonlyMap<string, KnownChannel>> {
  if (channelNames.length === 0) return new Map()
  const known = await onlyKnown(db, author, await findChannelsByName(db, author.realm.id, channelNames), now)
  return new Map(known.map((one) => [channelNameKey(one.channel.name), one]))
}

async function onlyKnown(
  db: Db,
  author: Author,
  channels: readonly Channel[],
  now: number,
): Promise<readonly KnownChannel[]> {
  if (isSystemBot(author)) return channels.map((channel) => ({ channel, isReadable: true }))
  const actor = actorOf(author)
  const scope = await findMembershipScope(db, actor, now)
  // Without channels too: a hidden channel takes the same queries as one that does not exist.
  const standings = await findSubscriptionStatuses(
    db,
    actor.id,
    channels.map((channel) => channel.id),
  )
  return channels.flatMap((channel) => {
    const isSubscribed = standings.get(channel.id) === 'subscribed'
    if (!hasMetadataAccess(scope, actor, channel, isSubscribed)) return []
    return [{ channel, isReadable: hasContentAccess(scope, actor, channel, isSubscribed) }]
  })
}

function linkedTopics(known: ReadonlyMap<string, KnownChannel>, { topics }: MentionCandidates): LinkedTopic[] {
  return topics.flatMap(({ channel: name, topic }) => {
    const { channel, isReadable } = known.get(channelNameKey(name)) ?? {}
    return channel !== undefined && isReadable ? [{ channel, topic }] : []
  })
}

async function emojiLookup(db: Db, { realm }: Author): Promise<RenderScope['findCustomEmoji']> {
  const emoji = await findRealmEmoji(db, realm.id)
  return (name) => {
    const custom = emoji.find((each) => each.name === name && each.deactivatedAt === null)
    if (custom !== undefined) return { url: emojiUrl(custom) }
    return isExtraEmoji(name) ? { url: extraEmojiUrl(name) } : null
  }
}

/** The pictures that the text may link to, as far as its author may read them. */
async function findImages(db: Db, author: Author, content: string, now: number): Promise<RenderScope['images']> {
  const named = pathIdsNamedIn(content)
  if (named.size === 0 || isSystemBot(author)) return new Map()
  const readable = await findReadableAttachments(db, actorOf(author), named, now)
  return new Map(
    readable.flatMap((attachment) => {
      const preview = toPreview(attachment)
      return preview === null ? [] : [[pathIdOf(attachment), preview]]
    }),
  )
}
