import { SERVER_REQUESTER } from '#lib/fair-queue.ts'
import { linkPreviewsIn } from '#markdown/previews.ts'
import { type RenderScope, referencesIn } from '#markdown/scope.ts'
import { findUser } from '#people/user-queries.ts'
import { findLinkifiers } from '#realms/linkifiers.ts'
import { findRealm, findRealmUrls } from '#realms/queries.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { findAttachmentsOf, pathIdOf, toPreview } from '../attachments.ts'
import { externalContentKeyOf, FOREIGN_CLIENT, isOutdated, renderInScope, showsLinkPreviews } from '../content.ts'
import { lockMessage, saveRendering } from '../editing/edit-rows.ts'
import type { Message } from '../message.ts'
import { findMessage } from '../queries.ts'

/** A message and its HTML from the current renderer. */
export type Rerendering = { readonly message: Message; readonly html: string }

/**
 * Renders the message again if an older renderer produced its HTML. Returns null if the HTML is up to date or the
 * message cannot be rendered. The new HTML has the references of the old HTML, so that no permissions are checked
 * again.
 */
export async function rerenderMessage(db: Db, id: number): Promise<Rerendering | null> {
  const message = await findMessage(db, id)
  if (message === null || !isOutdated(message)) return null
  const scope = await findScopeOf(db, message)
  const rendering = scope && (await renderInScope(message.content, scope, SERVER_REQUESTER))
  return rendering && { message, html: rendering.html }
}

/** Saves the new HTML unless the message was changed in the meantime. The message does not count as edited. */
export async function saveRerendering(tx: Transaction, { message, html }: Rerendering): Promise<void> {
  await lockMessage(tx, message.id)
  const current = await findMessage(tx.db, message.id)
  if (current?.content !== message.content || !isOutdated(current)) return
  await saveRendering(tx, current, html, (await findAttachmentsOf(tx.db, message.id)).length > 0)
}

/**
 * Returns the scope that keeps the references and previews of the present HTML. Returns null if the organization or the
 * sender no longer exists.
 */
export async function findScopeOf(db: Db, message: Message): Promise<RenderScope | null> {
  const realm = await findRealm(db, message.realmId)
  const sender = await findUser(db, message.senderId)
  if (realm === null || sender === null) return null
  const previews = (await findAttachmentsOf(db, message.id)).flatMap((attachment) => {
    const preview = toPreview(attachment)
    return preview === null ? [] : [[pathIdOf(attachment), preview] as const]
  })
  return {
    realmUrls: await findRealmUrls(db, realm),
    ...referencesIn(message.renderedContent),
    linkifiers: (await findLinkifiers(db, realm.id)).compiled,
    translateEmoticons: sender.settings.translate_emoticons,
    codeLanguage: realm.settings.default_code_block_language,
    previewsMedia: realm.settings.inline_image_preview,
    images: new Map(previews),
    externalContentKey: message.client === FOREIGN_CLIENT ? null : externalContentKeyOf(db),
    linkPreviews: showsLinkPreviews({ user: sender, realm }, db.settings)
      ? linkPreviewsIn(message.renderedContent)
      : null,
    writers: null,
  }
}
