import { findChannel } from '#channels/queries.ts'
import type { Clock } from '#lib/clock.ts'
import type { Requester } from '#lib/fair-queue.ts'
import type { FetchPage } from '#lib/guarded-fetch.ts'
import type { LinkPreview } from '#markdown/previews.ts'
import type { RenderScope } from '#markdown/scope.ts'
import { requesterOf } from '#people/users.ts'
import type { Db, RunTransaction, Transaction } from '#storage/storage.ts'
import { findAttachmentsOf } from '../attachments.ts'
import { renderInScope } from '../content.ts'
import { lockMessage, saveRendering } from '../editing/edit-rows.ts'
import { emitMessageUpdate } from '../editing/update-event.ts'
import { findMessageAudience } from '../events.ts'
import type { Message } from '../message.ts'
import { findMessage } from '../queries.ts'
import { deleteRequest, type LinkPreviewRequest } from './link-preview-queries.ts'
import { oembedAddressOf, readOembed, readPage } from './read-page.ts'
import { findScopeOf } from './rerender-message.ts'

/** The maximum number of websites whose previews are kept in memory. */
const MAX_KEPT = 2000

/** Seconds for which three results are kept: a preview, its absence, and a network failure. */
const KEPT_FOR = 86_400
const ABSENCE_KEPT_FOR = 3600
const FAILURE_KEPT_FOR = 300

/** Returns the preview of a website; null if it has none, or cannot be reached. */
type FindLinkPreview = (url: string, signal: AbortSignal) => Promise<LinkPreview | null>

/** Fetches websites, and keeps their previews for later messages with the same link. */
export function openLinkPreviews({ clock, fetchPage }: { clock: Clock; fetchPage: FetchPage }): FindLinkPreview {
  const kept = new Map<string, { preview: LinkPreview | null; until: number }>()

  return async (url, signal) => {
    const known = kept.get(url)
    if (known !== undefined && known.until > clock.now()) return known.preview
    const found = await findPreview(fetchPage, url, signal)
    if (signal.aborted) return null
    const isUnreachable = found === 'unreachable'
    const preview = isUnreachable ? null : found
    const time = isUnreachable ? FAILURE_KEPT_FOR : preview === null ? ABSENCE_KEPT_FOR : KEPT_FOR
    kept.delete(url)
    if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value ?? '')
    kept.set(url, { preview, until: clock.now() + time })
    return preview
  }
}

/**
 * Fetches the oEmbed description of a known service, or else the page, and the description that the page names if it may
 * have a better picture.
 */
async function findPreview(
  fetchPage: FetchPage,
  url: string,
  signal: AbortSignal,
): Promise<LinkPreview | null | 'unreachable'> {
  const describe = async (address: string | null) => {
    const description = address === null ? null : await fetchPage(address, signal, 'json')
    return description === null || description === 'unreachable' ? null : readOembed(description)
  }
  const described = await describe(oembedAddressOf(url))
  if (described !== null) return described
  const page = await fetchPage(url, signal)
  if (page === null || page === 'unreachable') return page
  const { preview, oembedAddress } = readPage(page)
  return (await describe(oembedAddress)) ?? preview
}

type Context = { db: Db; transaction: RunTransaction; findPreview: FindLinkPreview }

/**
 * Fetches the websites that a message links to, and adds their previews to the message. Each `LinkPreviewRequest` is
 * tried only once, because it is deleted before the first website is fetched.
 */
export async function addLinkPreviews(
  { db, transaction, findPreview }: Context,
  request: LinkPreviewRequest,
  signal: AbortSignal,
): Promise<void> {
  if (!(await transaction((tx) => deleteRequest(tx, request)))) return
  const message = await findMessage(db, request.messageId)
  const scope = message && (await findScopeOf(db, message))
  if (message === null || scope === null || scope.linkPreviews === null) return

  const found = await findPreviews(message, scope, (url) => findPreview(url, signal))
  if (found.size === 0 || signal.aborted) return
  const linkPreviews = new Map([...scope.linkPreviews, ...found])
  const rendering = await renderInScope(message.content, { ...scope, linkPreviews }, requesterOfSender(message))
  if (rendering !== null) await transaction((tx) => savePreviews(tx, message, rendering.html))
}

/**
 * Returns the sender, who is a person, as the requester. If they exceed the rendering limit, the message waits its turn
 * instead of being refused.
 */
const requesterOfSender = ({ senderId }: Message): Requester => requesterOf({ id: senderId, botOwnerId: null }, false)

/** Fetches the websites one after another, so that one message cannot make the server fetch many at once. */
async function findPreviews(
  message: Message,
  scope: RenderScope,
  find: (url: string) => Promise<LinkPreview | null>,
): Promise<ReadonlyMap<string, LinkPreview>> {
  const found = new Map<string, LinkPreview>()
  const { previewableUrls = [] } = (await renderInScope(message.content, scope, requesterOfSender(message))) ?? {}
  for (const url of previewableUrls) {
    const preview = await find(url)
    if (preview !== null) found.set(url, preview)
  }
  return found
}

/** Saves and emits the new HTML unless the message was changed in the meantime. The message does not count as edited. */
async function savePreviews(tx: Transaction, before: Message, html: string): Promise<void> {
  const { id, realmId } = before
  await lockMessage(tx, id)
  const message = await findMessage(tx.db, id)
  if (message === null || message.renderedContent !== before.renderedContent) return
  await saveRendering(tx, message, html, (await findAttachmentsOf(tx.db, id)).length > 0)
  const channel = message.channelId === null ? null : await findChannel(tx.db, realmId, message.channelId)
  const event = {
    type: 'update_message',
    user_id: null,
    edit_timestamp: Math.floor(tx.now),
    message_id: id,
    message_ids: [id],
    rendering_only: true,
    content: message.content,
    rendered_content: html,
  } as const
  emitMessageUpdate(tx, realmId, event, await findMessageAudience(tx, id, { channel }))
}
