import { z } from 'zod'
import { invalidChannelId } from '#channels/access.ts'
import { topicCharacter } from '#channels/topic.ts'
import { endpoint } from '#http/endpoint.ts'
import { anyNumber } from '#http/params.ts'
import { textQuotaExceeded } from '#people/users/text-quota.ts'
import { messageContainsNull, messageEmpty } from '../content/content.ts'
import { invalidUserId } from '../sending/direct-recipients.ts'
import * as drafts from './change-drafts.ts'
import { draftJson, draftTypes, toDraftJson } from './draft.ts'
import { findDrafts } from './queries.ts'
import { negativeTimestamp, oneDraftChannelOnly } from './require-draft.ts'

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
  drafts.notSynchronized,
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
  refuses: [drafts.notSynchronized],
  async handle({ db, actor }) {
    drafts.requireSynchronized(actor)
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
    return { ids: await transaction((tx) => drafts.addDrafts(tx, actor, given.drafts)) }
  },
})

const patchDraft = endpoint({
  route: 'PATCH /drafts/{draft_id}',
  summary: 'Edit a draft',
  who: 'human',
  params: { draft: givenDraft },
  refuses: [...contentRefusals, drafts.noSuchDraft],
  async handle({ transaction, actor }, { draft_id, draft }) {
    await transaction((tx) => drafts.changeDraft(tx, actor, draft_id, draft))
    return {}
  },
})

const deleteDraft = endpoint({
  route: 'DELETE /drafts/{draft_id}',
  summary: 'Delete a draft',
  who: 'human',
  refuses: [drafts.notSynchronized, drafts.noSuchDraft],
  async handle({ transaction, actor }, { draft_id }) {
    await transaction((tx) => drafts.removeDraft(tx, actor, draft_id))
    return {}
  },
})

export const draftEndpoints = [getDrafts, postDrafts, patchDraft, deleteDraft]
