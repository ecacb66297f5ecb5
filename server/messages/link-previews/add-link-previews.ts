import { findChannel } from '#channels/queries.ts'
import type { Requester } from '#lib/jobs/fair-queue.ts'
import type { LinkPreview } from '#markdown/previews/link-previews.ts'
import type { RenderScope } from '#markdown/scope.ts'
import { requesterOf } from '#people/users/user.ts'
import type { Db, RunTransaction, Transaction } from '#storage/storage.ts'
import { findAttachmentsOf } from '../attachments/queries.ts'
import { findMessageAudience } from '../audience.ts'
import { renderInScope } from '../content/render-content.ts'
import { lockMessage, saveRendering } from '../editing/edit-rows.ts'
import { emitMessageUpdate } from '../editing/update-event.ts'
import type { Message } from '../message.ts'
import { findMessage } from '../reading/queries.ts'
import { findScopeOf } from '../rerendering/rerender-message.ts'
import type { FindLinkPreview } from './find-link-preview.ts'
import { deleteRequest, type LinkPreviewRequest } from './queries.ts'

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
