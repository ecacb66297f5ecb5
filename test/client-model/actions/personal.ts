import { type Action, type Pick, someChannel, type World } from '../world.ts'

async function someDraft(world: World, pick: Pick): Promise<unknown> {
  const content = pick(['so far', 'further'])
  if (pick.flip()) return { type: 'private', to: [pick(world.people).id], topic: '', content }
  return { type: 'stream', to: [(await someChannel(world, pick)).id], topic: pick(['', 'tea']), content }
}

export const personalActions: Record<string, Action> = {
  muteUser: ({ people }, who, pick) =>
    who.call(`${pick(['POST', 'POST', 'DELETE'])} /users/me/muted_users/${pick(people).id}`),
  alertWords: (_, who, pick) =>
    who.call(`${pick(['POST', 'DELETE'])} /users/me/alert_words`, { alert_words: [pick(['tea', 'Lunch', 'wine'])] }),
  draft: async (world, who, pick) =>
    who.call('POST /drafts', {
      drafts: [await someDraft(world, pick), ...(pick.flip() ? [await someDraft(world, pick)] : [])],
    }),
  changeDraft: async (world, who, pick) => {
    const { drafts } = await who.call('GET /drafts')
    if (!drafts?.length) return
    const { id } = pick<{ id: number }>(drafts)
    if (pick.flip()) return who.call(`DELETE /drafts/${id}`)
    return who.call(`PATCH /drafts/${id}`, { draft: await someDraft(world, pick) })
  },
  snippet: (_, who, pick) => who.call('POST /saved_snippets', { title: pick(['one', 'two']), content: 'short' }),
  changeSnippet: async (_, who, pick) => {
    const { saved_snippets: snippets } = await who.call('GET /saved_snippets')
    if (!snippets?.length) return
    const { id } = pick<{ id: number }>(snippets)
    if (pick.flip()) return who.call(`DELETE /saved_snippets/${id}`)
    return who.call(`PATCH /saved_snippets/${id}`, { content: 'longer', ...(pick.flip() && { title: 'three' }) })
  },
}
