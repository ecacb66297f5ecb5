import type { Channel } from '#channels/channel.ts'
import { channelNameKey } from '#channels/channel-name.ts'
import { findChannelsByName } from '#channels/queries.ts'
import { findSubscriptionStatuses } from '#channels/subscription-status-queries.ts'
import type { Settings } from '#config.ts'
import { findRealmGroups } from '#groups/queries.ts'
import type { Viewer } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'
import type { Requester } from '#lib/jobs/fair-queue.ts'
import { pathIdsNamedIn } from '#markdown/links/upload-links.ts'
import { type MentionCandidates, mentionCandidates } from '#markdown/mention-names.ts'
import { renderMarkdown } from '#markdown/render.ts'
import { renderInWorker } from '#markdown/render-in-worker.ts'
import { CannotRender } from '#markdown/render-thread.ts'
import type { Rendering, RenderScope } from '#markdown/scope.ts'
import { isBot, isVisible, requesterOf, type User } from '#people/users/user.ts'
import { emojiUrl, findRealmEmoji } from '#realms/emoji-queries.ts'
import { extraEmojiUrl, isExtraEmoji } from '#realms/extra-emoji.ts'
import { findLinkifiers } from '#realms/linkifier-queries.ts'
import type { Realm } from '#realms/realm.ts'
import { findRealmUrls } from '#realms/redirects.ts'
import { mayListMessages } from '#rules/channel-rules.ts'
import type { Db } from '#storage/storage.ts'
import { findReadableAttachments } from '../attachments/access.ts'
import { pathIdOf } from '../attachments/attachment.ts'
import { toPreview } from '../attachments/preview.ts'
import type { ChannelTopic } from '../conversation.ts'
import { type Author, authorOf, isSystemBot } from '../sending/author.ts'
import { MAX_MESSAGE_LENGTH } from './content.ts'
import { findMentionableUsers, type MentionableUser } from './mentionable-users.ts'
import { loadFirstMessageIds } from './topic-links.ts'

export const unableToRender = refusal('BAD_REQUEST', 400, 'Unable to render message', { field: 'content' })

/**
 * The maximum length of a message's HTML, in UTF-16 units. Short content can produce very long HTML, for example a
 * table in a formula.
 */
const MAX_RENDERED_LENGTH = 50 * MAX_MESSAGE_LENGTH

/**
 * Returns the HTML of the content and its mentions. Users, channels and groups that the author may not see stay plain
 * text. Refuses content that takes too much work or whose HTML is too long. `isLimited` is false for messages that the
 * server sends later. If the author of such a message exceeds the rendering limit, the message waits instead of being
 * refused. `linkPreviews` are the known previews of websites.
 */
export async function renderContent(
  viewer: Viewer,
  content: string,
  { isLimited = true, linkPreviews = new Map() }: RenderOptions = {},
): Promise<Rendering> {
  const requester = requesterOf(viewer.actor, isLimited && viewer.db.settings.RATE_LIMITING)
  const scope = await loadScope(viewer, content)
  const previews = showsLinkPreviews(authorOf(viewer.actor), viewer.db.settings) ? linkPreviews : null
  const rendering = await renderInScope(content, { ...scope, linkPreviews: previews }, requester)
  if (rendering === null) throw unableToRender()
  return rendering
}

type RenderOptions = { isLimited?: boolean; linkPreviews?: RenderScope['linkPreviews'] }

/** Returns true if messages from the author show previews of websites. Messages from bots never do. */
export const showsLinkPreviews = ({ user, realm }: { user: User; realm: Realm }, settings: Settings): boolean =>
  settings.LINK_PREVIEWS && realm.settings.inline_url_embed_preview && !isBot(user)

/** Renders in a given scope; returns null if that takes too much work or the HTML is too long. */
export async function renderInScope(
  content: string,
  scope: RenderScope,
  requester: Requester,
): Promise<Rendering | null> {
  try {
    const rendering = await renderInWorker(content, scope, requester)
    return rendering.html.length <= MAX_RENDERED_LENGTH ? rendering : null
  } catch (error) {
    if (error instanceof CannotRender) return null
    throw error
  }
}

/** Like `renderContent`, for notices from the server, within a transaction. Formulas and code stay source text. */
export async function renderNotice(viewer: Viewer, content: string): Promise<Rendering> {
  return renderMarkdown(content, await loadScope(viewer, content))
}

/** Loads everything that the text may refer to, so that rendering needs no queries. */
async function loadScope(viewer: Viewer, content: string): Promise<RenderScope> {
  const author = authorOf(viewer.actor)
  const { db } = viewer
  const { user, realm } = author
  const candidates = mentionCandidates(content)
  const { compiled } = await findLinkifiers(db, realm.id)
  const channels = await findReadableChannels(viewer, candidates)
  return {
    realmUrls: await findRealmUrls(db, realm),
    ...(await userLookups(viewer, candidates)),
    findGroupByName: await groupLookup(db, author, candidates),
    findChannelByName: (name) => channels.get(channelNameKey(name)) ?? null,
    findFirstIn: await loadFirstMessageIds(db, author, linkedTopics(channels, candidates)),
    findCustomEmoji: await emojiLookup(db, author),
    linkifiers: compiled,
    translateEmoticons: user.settings.translate_emoticons,
    writers: null,
    codeLanguage: realm.settings.default_code_block_language,
    previewsMedia: realm.settings.inline_image_preview,
    images: await findImages(viewer, content),
    linkPreviews: null,
  }
}

async function userLookups(
  viewer: Viewer,
  { userNames }: MentionCandidates,
): Promise<Pick<RenderScope, 'findUserByName' | 'findUserById'>> {
  const author = authorOf(viewer.actor)
  const { db } = viewer
  if (userNames.length === 0) return { findUserByName: () => null, findUserById: () => null }
  const { named, withId } = await findMentionableUsers(db, author.realm.id)
  const visibleIds = isSystemBot(author) ? null : await viewer.visibleIds()
  const visible = (user: MentionableUser | undefined) =>
    user !== undefined && isVisible(visibleIds, user) ? user : null
  return {
    findUserByName: (name) => visible(named(name)),
    findUserById: (id) => visible(withId(id)),
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

/** Returns the channels that the content names and the author may read, by name in lower case. */
async function findReadableChannels(
  viewer: Viewer,
  { channelNames }: MentionCandidates,
): Promise<ReadonlyMap<string, Channel>> {
  const author = authorOf(viewer.actor)
  const { db } = viewer
  if (channelNames.length === 0) return new Map()
  const channels = await onlyReadable(viewer, await findChannelsByName(db, author.realm.id, channelNames))
  return new Map(channels.map((channel) => [channelNameKey(channel.name), channel]))
}

async function onlyReadable(viewer: Viewer, channels: readonly Channel[]): Promise<readonly Channel[]> {
  const author = authorOf(viewer.actor)
  const { db } = viewer
  if (isSystemBot(author)) return channels
  const { actor } = viewer
  const scope = await viewer.scope()
  // This query runs even if no channel was found, so that a hidden channel takes the same queries as a missing one.
  const statuses = await findSubscriptionStatuses(
    db,
    actor.id,
    channels.map((channel) => channel.id),
  )
  return channels.filter((channel) => mayListMessages(scope, actor, channel, statuses.get(channel.id) === 'subscribed'))
}

function linkedTopics(channels: ReadonlyMap<string, Channel>, { topics }: MentionCandidates): ChannelTopic[] {
  return topics.flatMap(({ channel: name, topic }) => {
    const channel = channels.get(channelNameKey(name))
    return channel === undefined ? [] : [{ channel, topic }]
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

/** Loads the previews of the linked images that the author may see. */
async function findImages(viewer: Viewer, content: string): Promise<RenderScope['images']> {
  const author = authorOf(viewer.actor)
  const named = pathIdsNamedIn(content)
  if (named.size === 0 || isSystemBot(author)) return new Map()
  const readable = await findReadableAttachments(viewer, named)
  return new Map(
    readable.flatMap((attachment) => {
      const preview = toPreview(attachment)
      return preview === null ? [] : [[pathIdOf(attachment), preview]]
    }),
  )
}
