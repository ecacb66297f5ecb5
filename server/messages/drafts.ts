import { z } from 'zod'
import { invalidChannelId, requireReadableChannel } from '#channels/access.ts'
import { requireTopic, topicCharacter } from '#channels/topic.ts'
import { type Viewer, viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { anyNumber } from '#http/params.ts'
import { refusal } from '#lib/errors.ts'
import { type Actor, isVisible } from '#people/users.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { messageContainsNull, messageEmpty, requireContent } from './content.ts'
import { invalidUserId, requireDirectRecipients } from './sending/send-access.ts'
import { findTextUsage, requireTextQuota, textQuotaExceeded } from './text-quota.ts'

// Drafts that are synchronized between the clients of a user: rows, checks, operations and endpoints. They are
// private, and only users who turned synchronization on have them.

/** An unsent message to a channel, to users or without recipients. */
type Draft = {
  id: number
  type: DraftType
  /** The channel id, or the user ids without the author. */
  recipientIds: readonly number[]
  topic: string
  content: string
  editedAt: number
}

const draftTypes = ['', 'stream', 'private'] as const

type DraftType = (typeof draftTypes)[number]

export const draftJson = z.strictObject({
  id: z.int(),
  type: z.enum(draftTypes),
  to: z.array(z.int()),
  topic: z.string(),
  content: z.string(),
  timestamp: z.int(),
})

export function toDraftJson(draft: Draft): z.infer<typeof draftJson> {
  const { id, type, recipientIds, topic, content, editedAt } = draft
  return { id, type, to: [...recipientIds], topic, content, timestamp: Math.floor(editedAt) }
}

type Row = { id: number; type: string; recipientIds: string; topic: string; content: string; editedAt: number }

const columns = ['id', 'type', 'recipientIds', 'topic', 'content', 'editedAt'] as const

const toDraft = (row: Row): Draft => ({
  ...row,
  type: row.type as DraftType,
  recipientIds: JSON.parse(row.recipientIds) as number[],
})

const toRow = ({ type, recipientIds, topic, content, editedAt }: Omit<Draft, 'id'>) => ({
  type,
  recipientIds: JSON.stringify(recipientIds),
  topic,
  content,
  editedAt,
})

/** Returns the user's drafts, ordered by the time of their last edit, newest last. */
export async function findDrafts(db: Db, userId: number): Promise<Draft[]> {
  const rows = await db
    .selectFrom('drafts')
    .select(columns)
    .where('userId', '=', userId)
    .orderBy('editedAt')
    .orderBy('id')
    .execute()
  return rows.map(toDraft)
}

async function saveNewDraft(tx: Transaction, userId: number, draft: Omit<Draft, 'id'>): Promise<Draft> {
  const { id } = await tx
    .insertInto('drafts')
    .values({ userId, ...toRow(draft) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, ...draft }
}

/** Saves the changed draft. Returns false if the user has no such draft. */
async function saveDraft(tx: Transaction, userId: number, { id, ...draft }: Draft): Promise<boolean> {
  const row = await tx
    .updateTable('drafts')
    .set(toRow(draft))
    .where('id', '=', id)
    .where('userId', '=', userId)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes the draft. Returns false if the user has no such draft. */
async function deleteDraft(tx: Transaction, userId: number, id: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('drafts')
    .where('id', '=', id)
    .where('userId', '=', userId)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

const oneDraftChannelOnly = refusal('BAD_REQUEST', 400, 'Must specify exactly 1 channel ID for channel messages', {
  field: 'to',
})
const negativeTimestamp = refusal('BAD_REQUEST', 400, 'Timestamp must not be negative.')

type DraftRequest = {
  type: DraftType
  to: readonly number[]
  topic: string
  content: string
  timestamp?: number | null | undefined
}

/** Returns the draft in the form in which it is stored. Refuses channels and users that the actor cannot see. */
async function requireDraft(viewer: Viewer, request: DraftRequest): Promise<Omit<Draft, 'id'>> {
  const { now } = viewer
  const content = requireContent(request.content)
  const editedAt = request.timestamp ?? now
  if (editedAt < 0) throw negativeTimestamp()
  if (request.type === 'stream') {
    const topic = requireTopic(request.topic)
    const [channelId] = request.to
    if (channelId === undefined || request.to.length > 1) throw oneDraftChannelOnly()
    await requireReadableChannel(viewer, channelId)
    return { type: 'stream', recipientIds: [channelId], topic, content, editedAt }
  }
  const recipientIds = request.type === 'private' ? await requireRecipients(viewer, request.to) : []
  return { type: recipientIds.length > 0 ? 'private' : '', recipientIds, topic: '', content, editedAt }
}

async function requireRecipients(viewer: Viewer, ids: readonly number[]): Promise<number[]> {
  const { actor } = viewer
  if (ids.length === 0) return []
  const people = await requireDirectRecipients(viewer, ids)
  const visibleIds = await viewer.visibleIds()
  const hidden = people.find((user) => user.realmId === actor.realmId && !isVisible(visibleIds, user))
  if (hidden !== undefined) throw invalidUserId({ id: hidden.id })
  const others = people.filter((user) => user.id !== actor.id)
  return (others.length > 0 ? others : people).map((user) => user.id)
}

const noSuchDraft = refusal('BAD_REQUEST', 404, 'Draft does not exist')
const notSynchronized = refusal('BAD_REQUEST', 400, 'User has disabled synchronizing drafts.')

/** Emits all drafts to the actor after synchronization was turned on. */
export async function emitAllDrafts(tx: Transaction, actor: Actor): Promise<void> {
  const drafts = await findDrafts(tx.db, actor.id)
  if (drafts.length === 0) return
  tx.emit(actor.realmId, { type: 'drafts', op: 'add', drafts: drafts.map(toDraftJson) }, [actor.id])
}

/** Saves all drafts or none. Returns their ids in the same order. */
async function addDrafts(tx: Transaction, actor: Actor, requests: readonly DraftRequest[]): Promise<number[]> {
  requireSynchronized(actor)
  const viewer = viewerOf(tx.db, actor, tx.now)
  const drafts = []
  for (const request of requests) drafts.push(await saveNewDraft(tx, actor.id, await requireDraft(viewer, request)))
  if (drafts.length === 0) return []
  await requireTextQuota(tx, 'drafts', actor.id)
  tx.emit(actor.realmId, { type: 'drafts', op: 'add', drafts: drafts.map(toDraftJson) }, [actor.id])
  return drafts.map((draft) => draft.id)
}

async function changeDraft(tx: Transaction, actor: Actor, id: number, request: DraftRequest): Promise<void> {
  requireSynchronized(actor)
  const draft = { id, ...(await requireDraft(viewerOf(tx.db, actor, tx.now), request)) }
  const usedSpace = await findTextUsage(tx, 'drafts', actor.id)
  if (!(await saveDraft(tx, actor.id, draft))) throw noSuchDraft()
  await requireTextQuota(tx, 'drafts', actor.id, usedSpace)
  tx.emit(actor.realmId, { type: 'drafts', op: 'update', draft: toDraftJson(draft) }, [actor.id])
}

async function removeDraft(tx: Transaction, actor: Actor, id: number): Promise<void> {
  requireSynchronized(actor)
  if (!(await deleteDraft(tx, actor.id, id))) throw noSuchDraft()
  tx.emit(actor.realmId, { type: 'drafts', op: 'remove', draft_id: id }, [actor.id])
}

function requireSynchronized(actor: Actor): void {
  if (!actor.settings.enable_drafts_synchronization) throw notSynchronized()
}

const givenDraft = z.object({
  id: z.int().optional(),
  type: z.enum(draftTypes),
  to: z.array(z.int()).describe('The id of the channel, or the ids of the recipients.'),
  topic: z.string(),
  content: z.string(),
  timestamp: anyNumber
    .nullish()
    .describe('The time of the last edit in UNIX seconds; the current time if omitted or null.'),
})

const contentRefusals = [
  notSynchronized,
  messageEmpty,
  messageContainsNull,
  negativeTimestamp,
  topicCharacter,
  oneDraftChannelOnly,
  invalidChannelId,
  invalidUserId,
  textQuotaExceeded,
]

const getDrafts = endpoint({
  route: 'GET /drafts',
  summary: 'List your drafts',
  description: 'Drafts are in the order of their last edits, newest last.',
  who: 'human',
  returns: { count: z.int(), drafts: z.array(draftJson) },
  refuses: [notSynchronized],
  async handle({ db, actor }) {
    requireSynchronized(actor)
    const found = await findDrafts(db, actor.id)
    return { count: found.length, drafts: found.map(toDraftJson) }
  },
})

const postDrafts = endpoint({
  route: 'POST /drafts',
  summary: 'Create drafts',
  who: 'human',
  params: { drafts: z.array(givenDraft).max(1000).default([]) },
  returns: { ids: z.array(z.int()).describe('In the order of the drafts.') },
  refuses: contentRefusals,
  async handle({ transaction, actor }, given) {
    return { ids: await transaction((tx) => addDrafts(tx, actor, given.drafts)) }
  },
})

const patchDraft = endpoint({
  route: 'PATCH /drafts/{draft_id}',
  summary: 'Edit a draft',
  who: 'human',
  params: { draft: givenDraft },
  refuses: [...contentRefusals, noSuchDraft],
  async handle({ transaction, actor }, { draft_id, draft }) {
    await transaction((tx) => changeDraft(tx, actor, draft_id, draft))
    return {}
  },
})

const deleteDraftEndpoint = endpoint({
  route: 'DELETE /drafts/{draft_id}',
  summary: 'Delete a draft',
  who: 'human',
  refuses: [notSynchronized, noSuchDraft],
  async handle({ transaction, actor }, { draft_id }) {
    await transaction((tx) => removeDraft(tx, actor, draft_id))
    return {}
  },
})

export const draftEndpoints = [getDrafts, postDrafts, patchDraft, deleteDraftEndpoint]
