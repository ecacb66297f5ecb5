import { normalizeTopic } from '#channels/topic.ts'
import { withinSpectatorLimits } from '#http/caller.ts'
import type { Services } from '#http/endpoint.ts'
import type { HttpRequest, HttpResponse } from '#http/http-types.ts'
import { redirect } from '#http/page-html.ts'
import { page } from '#http/pages.ts'
import type { Html } from '#lib/html.ts'
import { renderMarkdown } from '#markdown/render.ts'
import { emptyScope } from '#markdown/scope.ts'
import {
  findPublicChannels,
  findPublicMessage,
  findPublicMessages,
  findPublicTopics,
  type PagePosition,
  TOPICS_PER_PAGE,
} from '#messages/public-messages.ts'
import { findRealmEmoji } from '#realms/emoji.ts'
import { findAddressedRealm, findRealm } from '#realms/queries.ts'
import { allowsSpectators, type Realm, realmAddress } from '#realms/realm.ts'
import { defineCache } from '#storage/cache.ts'
import type { Db } from '#storage/storage.ts'
import {
  channelPage,
  channelsPage,
  conversationPath,
  PUBLIC_PATH,
  type PublicPage,
  topicPage,
  toResponse,
} from './public-html.ts'

/** The content of a page. As JSON, it is the key of the cache. */
type Request = { realmId: number; channelId?: number; topic?: string; page?: number; position?: PagePosition }

/**
 * The pages that were requested last. A commit to any table that a page reads empties the cache, so that nothing is shown
 * after it was closed, and many requests for a page cost as much as one.
 */
const cachedPages = defineCache<string, { found: PublicPage | null }>({
  dependsOn: ['realms', 'channels', 'messages', 'reactions', 'submessages', 'users', 'realmEmoji', 'linkifiers'],
  limit: 60,
  load: async (db, key) => ({ found: await renderRequested(db, JSON.parse(key) as Request) }),
})

async function renderRequested(db: Db, { realmId, channelId, topic, page = 1, position }: Request) {
  const realm = await findRealm(db, realmId)
  if (realm === null || !allowsSpectators(realm)) return null
  const frame = { realm, externalUrl: db.settings.EXTERNAL_URL, channels: await findPublicChannels(db, realm) }
  if (channelId === undefined) return channelsPage(frame, describe(realm, frame.externalUrl))
  const channel = frame.channels.find(({ id }) => id === channelId)
  if (channel === undefined) return null
  const { topics, count } = await findPublicTopics(db, channel, topic === undefined ? page : 1)
  if (topic === undefined)
    return channelPage(frame, channel, { topics, page, pages: Math.ceil(count / TOPICS_PER_PAGE) })
  return topicPage(frame, {
    ...{ channel, topic },
    topics: topics.slice(0, MAX_SIDE_TOPICS),
    found: await findPublicMessages(db, realm, { channel, topic }, position ?? { kind: 'newest' }),
    emoji: await findRealmEmoji(db, realm.id),
    position: position === undefined || position.kind === 'newest' ? {} : { [position.kind]: position.id },
  })
}

/** The number of topics beside the list of channels. */
const MAX_SIDE_TOPICS = 20

function describe(realm: Realm, externalUrl: string): Html {
  const { url } = realmAddress(realm.subdomain, externalUrl)
  return { html: renderMarkdown(realm.settings.description, { ...emptyScope, realmUrls: [url] }).html }
}

/** Returns the page within the limits of people without an account; null if it is not open to them. */
async function findPage(services: Services, remoteAddress: string, request: Request): Promise<HttpResponse | null> {
  const { found } = await withinSpectatorLimits(services, remoteAddress, async () => {
    const key = JSON.stringify(request)
    const work = cachedPages.peek(services.db, key) === undefined ? RENDERING_UNITS : 1
    const answer = await cachedPages.get(services.db, key)
    return { answer, units: work + (answer.found?.body.length ?? 0) / CHARACTERS_PER_UNIT }
  })
  return found === null ? null : toResponse(found)
}

/** The units of work of a page that is not in the cache. */
const RENDERING_UNITS = 5

const CHARACTERS_PER_UNIT = 32 * 1024

/** The paths that the web client uses for a channel and its list of topics. */
const CHANNEL = /^\/channels\/(\d{1,15})(?:\/topics)?\/?$/

/**
 * Returns the page of a conversation for a visitor without an account, at the address that it has in the web client; null
 * if it is not open to everyone, or does not exist.
 */
export async function findPublicConversation(services: Services, request: HttpRequest): Promise<HttpResponse | null> {
  const { path, query, remoteAddress } = request
  const channelId = Number(CHANNEL.exec(path)?.[1] ?? 0)
  const realm = channelId === 0 ? null : await findAddressedRealm(services.db, request)
  if (realm === null || !allowsSpectators(realm)) return null
  const idOf = (name: string) => Number(/^\d{1,15}$/.exec(query.get(name) ?? '')?.[0] ?? 0)
  const linkedId = idOf('with') || idOf('near')
  if (linkedId > 0) {
    const linked = await withinSpectatorLimits(services, remoteAddress, async () => ({
      answer: await findPublicMessage(services.db, realm, linkedId),
      units: 1,
    }))
    // A fragment makes the browser scroll to the message.
    if (linked?.stream_id !== undefined)
      return redirect(`${conversationPath(linked.stream_id, linked.subject, { at: linkedId })}#m${linkedId}`)
  }
  const topic = query.get('topic')
  const kind = (['before', 'after', 'at'] as const).find((name) => idOf(name) > 0)
  return findPage(services, remoteAddress, {
    ...{ realmId: realm.id, channelId },
    ...(topic === undefined ? { page: idOf('page') || 1 } : { topic: normalizeTopic(topic) }),
    ...(topic !== undefined && kind !== undefined && { position: { kind, id: idOf(kind) } }),
  })
}

const showPublicChannels = page({
  route: `GET ${PUBLIC_PATH}`,
  who: 'anyone here',
  handle: async (call) =>
    (await findPage(call, call.remoteAddress, { realmId: call.realm.id })) ??
    redirect(`/login/?next=${encodeURIComponent('/')}`),
})

/** Search engines find public channels only if the organization wants it; nothing else is for them. */
const showRobots = page({
  route: 'GET /robots.txt',
  who: 'anyone',
  handle({ realm }) {
    const isOpen = realm !== null && allowsSpectators(realm) && realm.settings.allow_search_engines
    const allowed = isOpen
      ? ['/public/', '/channels/', '/static/', '/user_uploads/', '/user_avatars/', '/json/realm/']
      : []
    return {
      status: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' },
      body: ['User-agent: *', ...allowed.map((path) => `Allow: ${path}`), 'Disallow: /', ''].join('\n'),
    }
  },
})

export const publicPages = [showPublicChannels, showRobots]
