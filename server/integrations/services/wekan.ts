import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { link, md, plainText } from '../markdown.ts'

export const wekan = integration({
  name: 'wekan',
  title: 'WeKan',
  category: 'Project management',
  summary: 'Cards, lists, checklists',
  logo: { letter: 'W', color: '#2980b9' },
  steps: ['In your board on WeKan, open the menu, then **Outgoing Webhooks**, and paste the URL.'],
  sample: {
    payload: {
      text: 'Ada created the card "Draw maps without gaps" in the list "To do"\nhttps://wekan.example.com/b/1/maps/2',
      description: 'act-createCard',
    },
  },
  handle: on(z.object({ text: z.string(), description: z.string().nullish() }), ({ text, description }) => {
    // The last line is the address of the card or board.
    const lines = text.trim().split('\n')
    const url = /^https?:\/\//.test(lines.at(-1) ?? '') ? lines.pop() : null
    const body = lines
      .join('\n')
      .replace(/\bact-(\w+)/g, (_, name: string) => name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase())
    return {
      event: description?.replace(/^act-/, '') ?? '',
      topic: 'Wekan Notification',
      content: md`${plainText(body)}${url && md`\n\n${link('Open in WeKan', url)}`}`,
    }
  }),
})
