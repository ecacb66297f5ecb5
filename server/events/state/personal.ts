import { z } from 'zod'
import { draftJson, toDraftJson } from '#messages/drafts/draft.ts'
import { findDrafts } from '#messages/drafts/queries.ts'
import { findScheduledMessages } from '#messages/scheduled-messages/queries.ts'
import { scheduledMessageJson, toScheduledMessageJson } from '#messages/scheduled-messages/scheduled-message.ts'
import { snippetJson, toSnippetJson } from '#messages/snippets/change-snippets.ts'
import { findSnippets } from '#messages/snippets/queries.ts'
import { findAlertWords } from '#people/alert-words/queries.ts'
import { stateSlice } from './slice.ts'

export const alertWordSlice = stateSlice({
  types: ['alert_words'],
  returns: { alert_words: z.array(z.string()) },
  async fetch({ db, actor }) {
    return { alert_words: await findAlertWords(db, actor.id) }
  },
})

export const draftSlice = stateSlice({
  types: ['drafts'],
  returns: { drafts: z.array(draftJson).describe('In the order of their ids; none if they are not synchronized.') },
  async fetch({ db, actor }) {
    if (!actor.settings.enable_drafts_synchronization) return { drafts: [] }
    const drafts = await findDrafts(db, actor.id)
    // Drafts are ordered by id, which an edit does not change. A client that applies events to older state therefore
    // has the same order as a client that fetches the state later.
    return { drafts: drafts.sort((one, other) => one.id - other.id).map(toDraftJson) }
  },
})

export const scheduledMessageSlice = stateSlice({
  types: ['scheduled_messages'],
  returns: { scheduled_messages: z.array(scheduledMessageJson).describe('In the order of their ids.') },
  async fetch({ db, actor }) {
    const messages = await findScheduledMessages(db, actor.id)
    // As with drafts, the order must not depend on edits.
    return { scheduled_messages: messages.sort((one, other) => one.id - other.id).map(toScheduledMessageJson) }
  },
})

export const snippetSlice = stateSlice({
  types: ['saved_snippets'],
  returns: { saved_snippets: z.array(snippetJson) },
  async fetch({ db, actor }) {
    return { saved_snippets: (await findSnippets(db, actor.id)).map(toSnippetJson) }
  },
})
