import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { textQuotaExceeded } from '#people/users/text-quota.ts'
import { limitedText } from '#realms/settings.ts'
import { MAX_MESSAGE_LENGTH } from '../content/content.ts'
import * as snippets from './change-snippets.ts'
import { findSnippets } from './queries.ts'

const filledText = (limit: number) => limitedText(limit, z.string().trim().min(1))

const title = filledText(60)
const content = filledText(MAX_MESSAGE_LENGTH)

const getSnippets = endpoint({
  route: 'GET /saved_snippets',
  summary: 'List your saved snippets',
  who: 'human',
  returns: { saved_snippets: z.array(snippets.snippetJson) },
  async handle({ db, actor }) {
    return { saved_snippets: (await findSnippets(db, actor.id)).map(snippets.toSnippetJson) }
  },
})

const postSnippet = endpoint({
  route: 'POST /saved_snippets',
  summary: 'Save a snippet',
  who: 'human',
  params: { title, content },
  returns: { saved_snippet_id: z.int() },
  refuses: [textQuotaExceeded],
  async handle({ transaction, actor }, given) {
    return { saved_snippet_id: await transaction((tx) => snippets.addSnippet(tx, actor, given)) }
  },
})

const patchSnippet = endpoint({
  route: 'PATCH /saved_snippets/{saved_snippet_id}',
  summary: 'Edit a saved snippet',
  who: 'human',
  params: { title: title.optional(), content: content.optional() },
  refuses: [snippets.noSuchSnippet, textQuotaExceeded],
  async handle({ transaction, actor }, { saved_snippet_id, ...changed }) {
    await transaction((tx) => snippets.changeSnippet(tx, actor, saved_snippet_id, changed))
    return {}
  },
})

const deleteSnippet = endpoint({
  route: 'DELETE /saved_snippets/{saved_snippet_id}',
  summary: 'Delete a saved snippet',
  who: 'human',
  refuses: [snippets.noSuchSnippet],
  async handle({ transaction, actor }, { saved_snippet_id }) {
    await transaction((tx) => snippets.removeSnippet(tx, actor, saved_snippet_id))
    return {}
  },
})

export const snippetEndpoints = [getSnippets, postSnippet, patchSnippet, deleteSnippet]
