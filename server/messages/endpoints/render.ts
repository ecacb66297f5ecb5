import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { messageContainsNull, normalizeContent } from '../content/content.ts'
import { renderContent, unableToRender } from '../content/render-content.ts'

export const renderMessage = endpoint({
  route: 'POST /messages/render',
  summary: 'Render Markdown like the content of a message',
  who: 'user',
  params: { content: z.string() },
  returns: { rendered: z.string() },
  refuses: [messageContainsNull, unableToRender],
  async handle({ db, actor, clock }, params) {
    const content = normalizeContent(params.content)
    return { rendered: (await renderContent(viewerOf(db, actor, clock.now()), content)).html }
  },
})
