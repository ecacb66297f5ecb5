import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bold, link, md } from '../markdown.ts'

export const helloworld = integration({
  name: 'helloworld',
  title: 'Hello World',
  category: 'Meta',
  summary: 'An example for developers',
  logo: { letter: 'H', color: '#607d8b' },
  steps: ['Post JSON with the fields `featured_title` and `featured_url` to the URL.'],
  sample: { payload: { featured_title: 'Atlas', featured_url: 'https://en.wikipedia.org/wiki/Atlas' } },
  handle: on(z.object({ featured_title: z.string(), featured_url: z.string() }), (given) => ({
    topic: 'Hello World',
    content: md`Hello! The article of the day is ${bold(link(given.featured_title, given.featured_url))}.`,
  })),
})
