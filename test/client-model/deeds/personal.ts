import type { Deed } from '../world.ts'

/** What people keep for themselves. */
export const personalDeeds: Record<string, Deed> = {
  muteUser: ({ people }, who, pick) =>
    who.call(`${pick(['POST', 'POST', 'DELETE'])} /users/me/muted_users/${pick(people).id}`),
  alertWords: (_, who, pick) =>
    who.call(`${pick(['POST', 'DELETE'])} /users/me/alert_words`, { alert_words: [pick(['tea', 'Lunch', 'wine'])] }),
  draft: ({ channels }, who, pick) =>
    who.call('POST /drafts', {
      drafts: [{ type: 'stream', to: [pick(channels).id], topic: pick(['', 'tea']), content: 'so far' }],
    }),
  changeDraft: async ({ channels }, who, pick) => {
    const { drafts } = await who.call('GET /drafts')
    if (!drafts?.length) return
    const { id } = pick<{ id: number }>(drafts)
    if (pick.flip()) return who.call(`DELETE /drafts/${id}`)
    const draft = { type: 'stream', to: [pick(channels).id], topic: 'tea', content: 'further' }
    return who.call(`PATCH /drafts/${id}`, { draft })
  },
  snippet: (_, who, pick) => who.call('POST /saved_snippets', { title: pick(['one', 'two']), content: 'short' }),
  changeSnippet: async (_, who, pick) => {
    const { saved_snippets: snippets } = await who.call('GET /saved_snippets')
    if (!snippets?.length) return
    const { id } = pick<{ id: number }>(snippets)
    if (pick.flip()) return who.call(`DELETE /saved_snippets/${id}`)
    return who.call(`PATCH /saved_snippets/${id}`, { content: 'longer' })
  },
}
