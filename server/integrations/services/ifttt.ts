import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { foreignMarkdown } from '../markdown.ts'

// The people who set up an applet write its topic and content, from fields of other services.

export const ifttt = integration({
  name: 'ifttt',
  title: 'IFTTT',
  category: 'Meta',
  summary: 'Messages of your applets',
  logo: { letter: 'I', color: '#222222' },
  steps: [
    'In IFTTT, choose **Webhooks**, then **Make a web request** as the action of the applet, and paste the URL.',
    'Choose **POST** and **application/json**, and write a body such as `{"topic": "…", "content": "…"}`.',
  ],
  sample: { payload: { topic: 'Weather', content: 'It will rain tomorrow.' } },
  handle: on(z.object({ topic: z.string(), content: z.string() }), ({ topic, content }) => ({
    topic,
    content: foreignMarkdown(content),
  })),
})
